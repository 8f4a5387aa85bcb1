import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AnpError } from "../contract/errors.ts";
import { sendReady } from "../http/direct-routes.ts";
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

/** Sends an envelope for a request that Node's HTTP parser refused: no route sees such a request. */
export function answerParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const code = CODES[error.code ?? ""] ?? 400;
  const { status, list, body } = refusal(code, NO_ID, code === 405 ? { allow: "GET, POST" } : {}).parts;
  const all = [...list, "content-length", String(Buffer.byteLength(body!))];
  const head = all.map((part, at) => part + (at % 2 === 0 ? ": " : "\r\n"));
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`);
  (socket as Socket).destroySoon(); // The other side may never close, and may not read.
}

/** Sends an envelope for a request that Node refuses with an empty body: without Host (400), with an unknown Expect (417). */
export function refuseRequest({ headers: sent }: IncomingMessage, response: ServerResponse, code: 400 | 417): void {
  const request_id = givenRequestId({ get: (name) => [sent[name] ?? []].flat()[0] ?? null }) ?? NO_ID;
  sendReady(response, refusal(code, request_id));
}

const refusal = (code: 400 | 405 | 408 | 417 | 431, request_id: string, headers: Record<string, string> = {}) =>
  failure(new AnpError(code), request_id, { ...headers, connection: "close" });

/** The parser's codes that mean something more specific than a malformed request. */
const CODES = PARSE_ERRORS as Readonly<Record<string, 405 | 408 | 431>>;
