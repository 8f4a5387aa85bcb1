import { readFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { listen as listhen } from "listhen";
import { ERRORS } from "../contract/errors.ts";
import { SAFE_HEADERS } from "../http/respond.ts";

/** How often connections that have become idle are closed while the server stops. */
const SWEEP_MS = 50;

/** A listening daemon. */
export interface Listening {
  readonly url: string;
  /** Stops accepting, and waits up to `drain_ms` milliseconds for requests that run; then cuts what is left. */
  readonly stop: (drain_ms: number) => Promise<void>;
}

/** The port cannot be had. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** The files of a certificate, PEM. */
export interface TlsFiles {
  /** Certificate and its chain. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate or its key cannot be read or do not belong together. */
export class TlsError extends Error {
  override readonly name = "TlsError";
}

/**
 * Listens on exactly that host and port; port 0 takes a free one. With a certificate it is HTTPS.
 *
 * @throws PortError when the port is in use or may not be used
 * @throws TlsError when the certificate cannot be used
 */
export async function listen(app: H3, host: string, port: number, tls?: TlsFiles): Promise<Listening> {
  const local = /^(localhost|127\.|::1$)/.test(host);
  let server: Awaited<ReturnType<typeof listhen>>["server"];
  let url: string;
  const handler = toNodeHandler(app);
  if (tls !== undefined) await checkTls(tls);
  try {
    // listhen's own shutdown ends the process at once, and its free-port search would take another port in silence.
    const listener = await listhen(handler, {
      hostname: host,
      port: { port, random: port === 0, verbose: false },
      public: !local,
      isTest: true,
      isProd: true,
      showURL: false,
      autoClose: false,
      ...(tls === undefined ? {} : { https: { ...tls } }),
    });
    server = listener.server;
    // listhen follows every request to shut down by itself, and ends the process when a socket is gone by then.
    for (const other of server.listeners("request")) {
      if (other !== handler) server.off("request", other as () => void);
    }
    server.on("clientError", refuseUnreadable);
    url = listener.url.replace(/\/$/, "");
  } catch (error) {
    const { message } = error as Error;
    const reason = /unable to find an available port|EADDRINUSE/i.test(message) ? "the port is in use" : message;
    throw new PortError(`Cannot listen on ${host}:${port}: ${reason}`, { cause: error });
  }
  return {
    url,
    stop(drain_ms) {
      return new Promise((resolve) => {
        const cut = setTimeout(() => {
          server.closeAllConnections();
        }, drain_ms);
        // A connection whose last request ends from now on would be kept alive for seconds, and the stop with it.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
        }, SWEEP_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

/** listhen's own error for these would name neither the file nor the fault. */
async function checkTls({ cert, key }: TlsFiles): Promise<void> {
  try {
    const [certificate, secret] = await Promise.all([readFile(cert), readFile(key)]);
    createSecureContext({ cert: certificate, key: secret });
  } catch (error) {
    throw new TlsError(`Cannot serve HTTPS with ${cert} and ${key}: ${(error as Error).message}`, { cause: error });
  }
}

/** What the HTTP parser refuses never reaches the app; it gets an envelope all the same. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = REFUSALS[error.code ?? ""] ?? 400;
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
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** The parser's codes that mean something more special than a malformed request. */
const REFUSALS: Readonly<Record<string, 405 | 408 | 431>> = {
  HPE_INVALID_METHOD: 405,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};
