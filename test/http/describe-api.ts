import { afterAll, beforeAll, describe, expect } from "vitest";
import {
  codesOf,
  ENDPOINTS,
  type Endpoint,
  type OperationData,
  type OperationId,
} from "../../src/contract/endpoints.ts";
import { errorEnvelope, successEnvelope } from "../../src/contract/envelope.ts";
import type { FieldError } from "../../src/contract/errors.ts";
import { createApp, type AppOptions } from "../../src/http/app.ts";
import { listen } from "../../src/daemon/listen.ts";
import { memoized } from "../../src/runtime/cache/memoized.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { openCopiedService, openFixtureService, type FixtureService } from "../support/service.ts";

/** The `data` that a path of the interface answers with; unknown for any other path. */
type DataAt<P extends string> =
  Endpoints<P> extends infer K extends OperationId ? ([K] extends [never] ? unknown : OperationData<K>) : never;
type Endpoints<P extends string> = {
  [K in OperationId]: P extends `${(typeof ENDPOINTS)[K]["path"]}${"" | `?${string}`}` ? K : never;
}[OperationId];

/** An envelope as a client sees it: `data` on success, `errors` and `detail` on some failures. */
export interface Envelope<D> {
  readonly success: boolean;
  readonly code: number;
  readonly message: string;
  readonly request_id: string;
  readonly data: D;
  readonly errors: readonly FieldError[];
  readonly detail?: string;
}

/** A response as a client sees it. */
export interface Answer<D = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What was checked against the contract; of a page that is no endpoint, whatever JSON it is. */
  readonly body: Envelope<D>;
}

/** What a request is made of. */
export interface Asking {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, as application/json unless the headers say otherwise. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** An API under test, on a service of its own with the demo's users on next to no content. */
export interface Api extends FixtureService {
  /** Sends one request, and checks the answer against the contract. */
  ask<P extends string>(path: P, asking?: Asking): Promise<Answer<DataAt<P>>>;
  close(): Promise<void>;
}

type Target = (request: Request) => Promise<Response>;

const BY_PATH = new Map<string, Endpoint>(
  (Object.keys(ENDPOINTS) as OperationId[]).map((id) => [ENDPOINTS[id].path, ENDPOINTS[id]]),
);

function askThrough(target: Target, origin: string): Api["ask"] {
  return async <P extends string>(path: P, asking: Asking = {}) => {
    const { method, token, json, raw, headers = {} } = asking;
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await target(
      new Request(origin + path, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { "x-user-token": token }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      }),
    );
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const answer: Answer<DataAt<P>> = {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Envelope<DataAt<P>>,
    };
    const hasNoBody = (method === "OPTIONS" && answer.status === 204) || answer.status === 304;
    if (!hasNoBody) checkAnswer(path, answer);
    return answer;
  };
}

const STRICT = {
  failure: errorEnvelope.strict(),
  success: memoized(({ data }: Endpoint) => successEnvelope(data).strict(), 32),
};

/** Every answer of an endpoint is an envelope of the contract, with a code it names, and carries its request id. */
function checkAnswer(path: string, { status, headers, body }: Answer): void {
  if (!path.startsWith("/api/")) return;
  const endpoint = BY_PATH.get(path.split("?", 1)[0]!);
  if (status === 200) {
    expect(STRICT.success(endpoint!).safeParse(body).error).toBeUndefined();
  } else {
    expect(STRICT.failure.safeParse(body).error).toBeUndefined();
    expect(endpoint === undefined ? [404] : codesOf(endpoint)).toContain(body.code);
  }
  expect(headers.get("x-request-id")).toBe(body.request_id);
}

/** What an API is opened with: its service's options, and its app's. */
export type Opening = NonNullable<Parameters<typeof openFixtureService>[0]> & { readonly app?: AppOptions };

async function openInProcess(options: Opening, service: Promise<FixtureService>): Promise<Api> {
  const opened = await service;
  const app = createApp(opened.service, options.logger ?? silentLogger, options.app);
  const ask = askThrough(async (request) => app.request(request), "http://anp.test");
  return { ...opened, ask, close: () => opened.service.close() };
}

/**
 * Runs the same cases in process, on memory and on a real Redis, and over a real socket. Without `storages` they are
 * about HTTP alone, and run on memory.
 */
export function describeApi(
  name: string,
  cases: (open: (options?: Opening) => Promise<Api>) => void,
  { storages = true }: { readonly storages?: boolean } = {},
): void {
  describe(`${name}, in process`, () => {
    cases((options = {}) => openInProcess(options, openFixtureService({ fixture: "small", ...options })));
  });
  if (storages) {
    describe.skipIf(noRedis !== undefined)(`${name}, in process, on Redis`, () => {
      let server: RedisServer;
      let worlds = 0;
      beforeAll(async () => {
        server = await startRedis();
      });
      afterAll(() => server.stop());
      cases(async (asked = {}) => {
        const options = { fixture: "small", ...asked };
        // A case that brings its own storage is about that.
        if (options.storage !== undefined) return openInProcess(options, openFixtureService(options));
        const storage = await openStorage(server.url({ prefix: `world-${++worlds}` }));
        return openInProcess(options, openCopiedService(options, storage));
      });
    });
  }
  describe(`${name}, over a socket`, () => {
    cases(async (options) => {
      const opened = await openFixtureService({ fixture: "small", ...options });
      const app = createApp(opened.service, options?.logger ?? silentLogger, options?.app);
      const listening = await listen(app, "127.0.0.1", 0);
      return {
        ...opened,
        ask: askThrough((request) => fetch(request), listening.url),
        close: async () => {
          await listening.stop(1000);
          await opened.service.close();
        },
      };
    });
  });
}
