import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { UnreachableError } from "./client-errors.ts";

/** Largest response that is read. The largest of the contract, a full page of news, is below 1 MiB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** One HTTP request, complete. */
export interface WireRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long the whole exchange may take, ms. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** One HTTP response, complete. Header names are in lower case. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** No complete response arrived. `sent` is false when the request cannot have arrived either: there was no connection. */
export class WireError extends UnreachableError {
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** Sends requests over persistent connections. It follows no redirect: a token is only sent to the host it is for. */
export interface Transport {
  /**
   * @throws WireError when no complete response arrived
   * @throws the signal's reason when it was aborted
   */
  readonly send: (request: WireRequest) => Promise<WireResponse>;
  /** Closes the open connections. */
  readonly close: () => void;
}

export function createTransport(): Transport {
  const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
  return {
    send: (request) => exchange(request, request.url.protocol === "https:" ? agents["https:"] : agents["http:"]),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function exchange({ method, url, headers, body, timeout_ms, signal }: WireRequest, agent: HttpAgent) {
  return new Promise<WireResponse>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const options: RequestOptions = { method, headers, agent };
    const request = url.protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options);
    let connected = false;
    const end = (error: Error): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      request.destroy();
      reject(error);
    };
    const onAbort = (): void => {
      end(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      end(new WireError(`${url.origin} sent no complete response within ${timeout_ms / 1000} s.`, connected));
    }, timeout_ms);
    signal?.addEventListener("abort", onAbort);
    request.on("socket", (socket) => {
      if (!socket.connecting) connected = true;
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (connected = true));
    });
    request.on("error", (error) => {
      end(new WireError(`${url.origin} cannot be reached: ${reasonOf(error)}.`, connected, error));
    });
    request.on("response", (response) => {
      readText(response).then(
        (text) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          resolve({ status: response.statusCode!, headers: flat(response), text });
        },
        (error: unknown) => {
          end(new WireError(`${url.origin} sent no complete response: ${reasonOf(error as Error)}.`, true, error));
        },
      );
    });
    request.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "its name cannot be resolved at the moment",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
};

/** The reason of a network error in words. When several addresses were tried, that of the first. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  return REASONS[first.code ?? ""] ?? first.message;
}
