import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with one request. */
export type Turn = (response: ServerResponse, request: IncomingMessage) => void;

/** A local server that speaks the OpenAI chat-completions protocol, one scripted turn a request. */
export interface ModelServer {
  readonly baseUrl: string;
  /** Bodies of the requests so far, parsed. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly body: ChatBody }[];
  close(): Promise<void>;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly temperature?: number;
  readonly max_tokens?: number;
}

/** Says this, as a chat completion. @param usage the tokens that it reports, those of the prompt first; none are reported without */
export function says(content: string, finish = "stop", usage: readonly [number, number] | null = [1, 1]): Turn {
  return (response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1,
        model: "test-model",
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
        ...(usage && {
          usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
        }),
      }),
    );
  };
}

/** Fails with an HTTP status. */
export function fails(status: number, headers: Record<string, string> = {}): Turn {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message: `failing with ${status}`, type: "server_error" } }));
  };
}

/** Never replies. */
export const hangs: Turn = () => undefined;

/** Cuts the connection in the middle of the reply. */
export const cuts: Turn = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":"chatcmpl-1","choices":[', () => response.destroy());
};

/** Replies with what is no JSON. */
export const garbles: Turn = (response) => {
  response.setHeader("content-type", "application/json");
  response.end("<html>gateway</html>");
};

/** Starts a server; the last turn repeats. */
export async function startModelServer(...turns: [Turn, ...Turn[]]): Promise<ModelServer> {
  const requests: ModelServer["requests"] = [];
  const server = createServer((request, response) => {
    let raw = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (raw += chunk));
    request.on("end", () => {
      requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(raw) as ChatBody });
      (turns[requests.length - 1] ?? turns.at(-1)!)(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
