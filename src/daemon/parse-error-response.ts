import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ERRORS } from "../contract/errors.ts";
import { SAFE_HEADERS } from "../http/respond.ts";

/** Sends an envelope for a request that Node's HTTP parser refused: no route sees such a request. */
export function answerParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ""] ?? 400;
  const { status, message } = ERRORS[code];
  const request_id = "unreadable";
  const body = JSON.stringify({ success: false, code, message, request_id });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...(code === 405 ? ["Allow: GET, POST"] : []),
    "Connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  // The other side may never close, and may not read.
  (socket as Socket).destroySoon();
}

/** The parser's codes that mean something more specific than a malformed request. */
const CODES: Readonly<Record<string, 405 | 408 | 431>> = {
  HPE_INVALID_METHOD: 405,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};
