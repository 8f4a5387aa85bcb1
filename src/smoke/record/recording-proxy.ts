import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { flatHeaders, send, WireError, type WireResponse } from "../../client/transport.ts";
import { readBytes } from "../../runtime/read-bytes.ts";

const MAX_BYTES = 1024 * 1024; // Largest body of a request that is forwarded, bytes.
const TIMEOUT_MS = 60_000;

/** Hop-by-hop headers, and those of conditional requests, whose answers would have no body. */
const NOT_FORWARDED =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|host|content-length|accept-encoding|expect|if-none-match|if-modified-since)$/;

export interface RecordedCall {
  readonly method: string;
  readonly target: string; // Path and query.
  readonly headers: Readonly<Record<string, string>>; // Names in lower case.
  readonly body: Buffer;
  readonly answer: WireResponse | string; // The answer, or why there is none.
}

/** Starts a proxy on the loopback interface that records the calls it forwards to a daemon, one at a time, so that both
 * see the same order. @param max_calls calls that are recorded; later ones are refused with 503 */
export async function startRecording(daemon: string, port: number, max_calls: number) {
  const calls: RecordedCall[] = [];
  const [full, stopping] = [new AbortController(), new AbortController()];
  let queue = Promise.resolve();

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (calls.length >= max_calls) return void refuse(response, 503, `the recording has its ${max_calls} calls`);
    const { method = "", url: target = "" } = request;
    const headers = flatHeaders(request);
    let body: Buffer = Buffer.alloc(0);
    let answer: RecordedCall["answer"];
    try {
      if (!target.startsWith("/")) throw new RangeError("its target is not a path");
      body = await readBytes(request, MAX_BYTES, () => new RangeError(`its body is larger than ${MAX_BYTES} bytes`));
      const sent = { method, url: daemon.replace(/\/$/, "") + target, headers: endToEnd(headers) };
      answer = await send(body.length === 0 ? sent : { ...sent, body }, TIMEOUT_MS, stopping.signal);
      response.sendDate = false;
      response.writeHead(answer.status, endToEnd(answer.headers)).end(answer.bytes);
    } catch (error) {
      if (stopping.signal.aborted) return;
      answer = (error as Error).message.replaceAll(new URL(daemon).origin, "the daemon");
      refuse(response, error instanceof WireError ? 502 : 400, answer);
    }
    calls.push({ method, target, headers, body, answer });
    if (calls.length === max_calls) response.once("close", full.abort.bind(full, undefined));
  }

  const server = createServer((request, response) => void (queue = queue.then(() => forward(request, response))));
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: calls as readonly RecordedCall[],
    full: full.signal, // Aborted once as many calls as allowed were answered.
    async stop(): Promise<void> {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      await queue;
    },
  };
}

const refuse = (response: ServerResponse, status: number, message: string) =>
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`Not recorded: ${message}\n`);

/** The headers of a message that a proxy forwards. */
export const endToEnd = (headers: RecordedCall["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name)));
