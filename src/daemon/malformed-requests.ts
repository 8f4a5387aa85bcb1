import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { H3 } from "h3";
import { AnpError } from "../contract/errors.ts";
import { DirectApp, sendReady } from "../http/direct-routes.ts";
import { givenRequestId } from "../http/read-request.ts";
import { failure } from "../http/respond.ts";
import PARSE_ERRORS from "./parse-errors.json" with { type: "json" };

/** Refuses HTTP/1.1 requests without a Host, and any with several (RFC 9112 §3.2), of which Node keeps the first. */
export function withHost(handler: RequestListener): RequestListener {
  return (request, response) => {
    const hosts = request.rawHeaders.filter(isHost).length;
    if (hosts > 1 || (hosts === 0 && request.httpVersion !== "1.0")) refuseRequest(request, response, 400);
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
  const code = CODES[name] ?? 400;
  const text = rawPacket?.toString("latin1") ?? "";
  const origin = ORIGIN.exec(text)?.[1] ?? null;
  const [, path] = PATH.exec(text.slice(text.lastIndexOf("\n", bytesParsed) + 1)) ?? [];
  if (code === 405 && path !== undefined && app !== undefined) {
    // No path takes OPTIONS either, so the app's response names the methods that this one takes.
    const headers = new Headers(origin === null ? {} : { origin });
    return app.fetch(new Request(`http://anp.invalid${path}`, { method: "OPTIONS", headers }));
  }
  const cors = app instanceof DirectApp ? app.cors?.headersFor(origin) : {};
  return refusal(code, NO_ID, { ...cors, ...(code === 405 && { allow: "GET, HEAD, POST" }) });
}

/** Sends an envelope for a request that Node refuses with an empty body: without Host (400), with an unknown Expect (417). */
export function refuseRequest({ headers: sent }: IncomingMessage, response: ServerResponse, code: 400 | 417): void {
  const request_id = givenRequestId({ get: (name) => [sent[name] ?? []].flat()[0] ?? null }) ?? NO_ID;
  sendReady(response, refusal(code, request_id, { connection: "close" }));
}

const refusal = (code: 400 | 405 | 408 | 417 | 431, request_id: string, headers: Record<string, string>) =>
  failure(new AnpError(code), request_id, headers);

/** The parser's codes that mean something more specific than a malformed request. */
const CODES = PARSE_ERRORS as Readonly<Record<string, 405 | 408 | 431>>;
