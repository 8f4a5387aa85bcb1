import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers a request in place of the vectors of its texts. */
export type EmbeddingsTurn = (response: ServerResponse, input: readonly string[]) => void;

/** A local server that speaks the OpenAI protocol of embeddings. */
export interface EmbeddingsServer {
  readonly baseUrl: string;
  /** The texts of each request so far. */
  readonly calls: readonly string[][];
  readonly headers: readonly IncomingMessage["headers"][];
  readonly paths: readonly (string | undefined)[];
  /** From now on answers so; as usual without. */
  turn: EmbeddingsTurn | undefined;
  close(): Promise<void>;
}

const DIMENSIONS = 256;
/** Words that mean the same to the server. */
const SYNONYMS: Readonly<Record<string, string>> = { dough: "money", mislaid: "lost" };

/** A vector of a text: its words hashed, those that mean the same alike. */
export function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.001);
  for (const [word] of text.toLowerCase().matchAll(/[a-z0-9]+|\p{Script=Han}/gu)) {
    let hash = 2166136261;
    for (const character of SYNONYMS[word] ?? word) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
    vector[(hash >>> 0) % DIMENSIONS]! += 1;
  }
  return vector;
}

/** Answers with something as JSON. */
export const replies =
  (body: unknown, status = 200, headers: Record<string, string> = {}): EmbeddingsTurn =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** The usual reply to some texts. */
export function embeddingsOf(input: readonly string[]) {
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
  return { object: "list", data, model: "test-embedding", usage: { prompt_tokens: 3, total_tokens: 3 } };
}

export async function startEmbeddingsServer(): Promise<EmbeddingsServer> {
  const calls: string[][] = [];
  const headers: IncomingMessage["headers"][] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let raw = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (raw += chunk));
    request.on("end", () => {
      const { input } = JSON.parse(raw) as { input: string[] };
      calls.push(input);
      headers.push(request.headers);
      paths.push(request.url);
      (started.turn ?? replies(embeddingsOf(input)))(response, input);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const started: EmbeddingsServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    headers,
    paths,
    turn: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return started;
}
