import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came in. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What stands in a daemon's place, or between it and its client. */
export interface StandIn {
  readonly url: string;
  readonly seen: readonly Seen[];
  readonly close: () => Promise<void>;
}

/** A server that answers as it is told to; `number` counts the requests from 1. */
export async function standIn(
  answer: (seen: Seen, response: ServerResponse, number: number) => void | Promise<void>,
): Promise<StandIn> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
      const one = {
        method: incoming.method!,
        path: incoming.url!,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      await answer(one, response, seen.length);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Hands a request on to a daemon, and gives its answer back. */
export function forward(
  url: string,
  { method, path, headers, body }: Seen,
): Promise<(response: ServerResponse) => void> {
  return new Promise((resolve, reject) => {
    const onward = request(`${url}${path}`, { method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        resolve((response) => {
          response.writeHead(incoming.statusCode!, incoming.headers);
          response.end(Buffer.concat(chunks));
        });
      });
    });
    onward.on("error", reject);
    onward.end(body);
  });
}

/** The envelope of a success. */
export function envelope(data: object): string {
  return JSON.stringify({ success: true, code: 0, message: "ok", data, request_id: "r1" });
}

/** The envelope of a failure. */
export function failure(code: number, message = "no"): string {
  return JSON.stringify({ success: false, code, message, request_id: "r1" });
}
