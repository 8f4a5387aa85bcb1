import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { readBytes } from "../runtime/read-bytes.ts";
import REASONS from "./network-reasons.json" with { type: "json" };

const MAX_BYTES = 32 * 1024 * 1024; // The contract's largest response, a page of news, is below 1 MiB.

/** One HTTP request, complete. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly insecure?: boolean | undefined; // Accepts any certificate: for the local daemon, without secrets.
}

/** One HTTP response, complete. Header names are in lower case; `text` is the body, read as UTF-8. */
export type WireResponse = Readonly<Awaited<ReturnType<typeof readResponse>>>;

/** No daemon answers at the address: nothing listens there, it is too slow, or it is another server. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** No complete response arrived. */
export class WireError extends UnreachableError {
  readonly sent: boolean; // Whether the request may have arrived: there was a connection.
  readonly late: boolean;

  constructor(message: string, { sent, late, cause }: { sent: boolean; late: boolean; cause: unknown }) {
    super(message, { cause });
    this.sent = sent;
    this.late = late;
  }
}

/** Sends a request over a persistent connection. It follows no redirect: a token is only sent to the host it is for.
 * @param timeout_ms how long the whole exchange may take, ms
 * @throws WireError when no complete response arrived, or the reason of the aborted signal */
export const send = (request: WireRequest, timeout_ms: number, signal?: AbortSignal): Promise<WireResponse> =>
  exchange(request, timeout_ms, signal, readResponse);

export async function readResponse(response: IncomingMessage) {
  const bytes = await readBytes(response, MAX_BYTES, () => new Error(`it is larger than ${MAX_BYTES} bytes`));
  return { status: response.statusCode!, headers: flatHeaders(response), text: bytes.toString("utf8"), bytes };
}

type Read<T> = (response: IncomingMessage, begun: () => void) => Promise<T>;

/** As `send`, for a response that is read as it comes. @param ms timeout
 * @param read gets the response and a function that ends the timeout; throws if the response is incomplete */
export async function exchange<T>(wire: WireRequest, ms: number, signal: AbortSignal | undefined, read: Read<T>) {
  const { method, url, headers, body, insecure = false } = wire;
  signal?.throwIfAborted();
  const { protocol, origin } = new URL(url);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  const state = { sent: false };
  let response: IncomingMessage | undefined;
  try {
    // Node's fetch is not used: its loading would take longer than most calls.
    const request = (protocol === "https:" ? requestHttps : requestHttp)(url, {
      method,
      rejectUnauthorized: !insecure,
      headers: { ...(body !== undefined && { "content-length": Buffer.byteLength(body) }), ...headers },
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    });
    request.on("socket", (socket) => {
      if (!socket.connecting) state.sent = true;
      else socket.once(protocol === "https:" ? "secureConnect" : "connect", () => (state.sent = true));
    });
    request.on("error", () => undefined).end(body);
    [response] = (await once(request, "response")) as [IncomingMessage];
    return await read(response, () => clearTimeout(timer));
  } catch (error) {
    signal?.throwIfAborted();
    const what = late.signal.aborted
      ? `sent no complete response within ${ms / 1000} s`
      : `${response === undefined ? "cannot be reached" : "sent no complete response"}: ${reasonOf(error as Error)}`;
    throw new WireError(`${origin} ${what}.`, { ...state, late: late.signal.aborted, cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The headers of a message, those that came several times joined. */
export const flatHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));

/** The reason of a network error in words. When several addresses were tried, that of the first. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  return (REASONS as Readonly<Record<string, string>>)[first.code ?? ""] ?? first.message;
}
