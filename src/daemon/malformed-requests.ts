import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { H3, H3Event } from "h3";
import { AnpError } from "../contract/errors.ts";
import { DirectApp, sendReady } from "../http/direct-routes.ts";
import { givenRequestId } from "../http/read-request.ts";
import { failure, type ReadyResponse } from "../http/respond.ts";
import PARSE_ERRORS from "./parse-errors.json" with { type: "json" };

/** Refuses HTTP/1.1 requests without a Host, and any with several (RFC 9112 §3.2), of which Node keeps the first. */
export function withHost(handler: RequestListener, app: H3): RequestListener {
  return (request, response) => {
    const hosts = request.rawHeaders.filter(isHost).length;
    if (hosts > 1 || (hosts === 0 && request.httpVersion !== "1.0")) void refuseRequest(request, response, 400, app);
    else handler(request, response);
  };
}

const isHost = (name: string, at: number) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === "host";

const NO_ID = "unreadable"; // The id of a request that has none of its own, or cannot be read.

/** An error of Node's HTTP parser, with the bytes that it read last and how many of them were valid. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

const PATH = /^\S+ (\/[!-~]*) HTTP\/1\.\d/;
const ORIGIN = /^origin:[ \t]*([!-~]+)/im;

/** Sends an envelope for a request that Node's HTTP parser refused: no route sees such a request.
 * @param last the last response begun on that connection; those up to it are sent first (RFC 9112 §9.3.2) */
export async function answerParseError(error: ParseError, socket: Duplex, app?: H3, last?: ServerResponse) {
  if (last !== undefined) await sendBefore(last);
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const response = await parseErrorResponse(error, app);
  const body = await response.text();
  const length = String(Buffer.byteLength(body));
  const headers = [...response.headers, ["content-length", length], ["connection", "close"]];
  const head = headers.map((header) => `${header.join(": ")}\r\n`).join("");
  // No second answer may follow if the message is the body of a request that was answered without it.
  if (last?.headersSent !== true || last.req.complete)
    socket.write(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${head}\r\n${body}`);
  (socket as Socket).destroySoon(); // The other side may never close, and may not read.
}

/** Waits for the responses before a malformed message, which follows the last request or is in its body. Node gives a
 * response its socket when the one before it is sent. */
async function sendBefore(last: ServerResponse): Promise<void> {
  const isInBody = !last.req.complete && !last.headersSent;
  if (isInBody ? last.socket !== null : last.writableFinished) return;
  await new Promise<void>((resolve) => last.once(isInBody ? "socket" : "close", () => resolve()));
}

function parseErrorResponse({ code: name = "", rawPacket, bytesParsed = 0 }: ParseError, app?: H3) {
  if (rawPacket?.[0] === TLS_HANDSHAKE) return refusal(new AnpError(400, NOT_TLS), new Headers(), app);
  const code = CODES[name] ?? 400;
  const text = rawPacket?.toString("latin1") ?? "";
  const origin = ORIGIN.exec(text)?.[1] ?? null;
  const [, path] = PATH.exec(text.slice(text.lastIndexOf("\n", bytesParsed) + 1)) ?? [];
  const headers = new Headers(origin === null ? {} : { origin });
  if (code === 405 && path !== undefined && app !== undefined) {
    // No path takes OPTIONS either, so the app's response names the methods that this one takes.
    return app.fetch(new Request(`http://anp.invalid${path}`, { method: "OPTIONS", headers }));
  }
  return refusal(new AnpError(code, undefined, code === 405 ? ALLOW : {}), headers, app);
}

/** Sends an envelope for a request that Node refuses with an empty body: without Host (400), with an unknown Expect (417). */
export async function refuseRequest({ headers }: IncomingMessage, response: ServerResponse, code: 400 | 417, app: H3) {
  const id = [headers["x-request-id"] ?? []].flat()[0];
  const error = new AnpError(code, undefined, { headers: { connection: "close" } });
  sendReady(response, await refusal(error, new Headers(id === undefined ? {} : { "x-request-id": id }), app));
}

/** The envelope of a request that no route sees, which the API's app logs and counts. */
async function refusal(error: AnpError, headers: Headers, app?: H3): Promise<ReadyResponse> {
  const event = { req: { headers, signal: { aborted: false } }, url: { pathname: "/" }, error };
  const answered = app instanceof DirectApp && (await app.refuse?.(event as unknown as H3Event));
  return answered ? (answered as ReadyResponse) : failure(error, givenRequestId(headers) ?? NO_ID);
}

const ALLOW = { headers: { allow: "GET, HEAD, POST" } };
const TLS_HANDSHAKE = 0x16; // The first byte of a TLS connection (RFC 8446 §5.1).
const NOT_TLS = "This port speaks plain HTTP, not TLS: its URLs begin with http://.";

/** The parser's codes that mean something more specific than a malformed request. */
const CODES = PARSE_ERRORS as Readonly<Record<string, 405 | 408 | 431>>;
