import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { AnpError, invalid } from "../contract/errors.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import { within } from "../runtime/within.ts";

type BodyBounds = { readonly bytes: number; readonly ms: number }; // `ms`: from the headers to the last byte.

/** The JSON body of a request, and its text. @throws AnpError 415 for another content type, 413 and 408 past the
 * bounds, 422 for a body that is incomplete or not JSON */
export async function readJson(event: H3Event, bounds: BodyBounds): Promise<{ value: unknown; text: string }> {
  const { req } = event;
  const type = req.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new AnpError(415);
  if (declaredBytes(req, 0) > bounds.bytes) throw tooLarge(bounds);
  const bytes = await readBody(event, bounds);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid([{ in: "body", path: "", message: "must be UTF-8" }]);
  }
  try {
    return { value: JSON.parse(text) as unknown, text };
  } catch (error) {
    throw invalid([{ in: "body", path: "", message: `must be JSON: ${(error as SyntaxError).message}` }]);
  }
}

/** The length that a request declares; `unknown` where it does not. */
export function declaredBytes({ headers }: Pick<Request, "headers">, unknown: number): number {
  const length = headers.get("content-length");
  return length === null ? unknown : Number(length);
}

/** Reads a body from the socket, without the streams of the Fetch API, which would cost more than most requests. */
async function readBody({ req, runtime }: H3Event, bounds: BodyBounds): Promise<Uint8Array> {
  const socket = runtime?.node?.req as IncomingMessage | undefined;
  // The response closes the connection: what was not read may not be destroyed before.
  const body = socket === undefined ? req.body : socket.iterator({ destroyOnReturn: false });
  const read = readBytes(body, bounds.bytes, () => tooLarge(bounds)).catch((error: unknown) => {
    if (error instanceof AnpError) throw error;
    throw invalid([{ in: "body", path: "", message: "ended before it was complete" }]);
  });
  const tooLate = `The body did not arrive within ${bounds.ms / 1000} s.`;
  return within(read, bounds.ms, () => Promise.reject(new AnpError(408, tooLate, CLOSE)));
}

const CLOSE = { headers: { connection: "close" } };

const tooLarge = ({ bytes }: BodyBounds): AnpError =>
  new AnpError(413, `The body is larger than ${bytes} bytes.`, CLOSE);
