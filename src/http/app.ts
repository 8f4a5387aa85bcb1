import { H3, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError, type Fault } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { openApiText } from "../contract/openapi.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Call } from "../service/operation.ts";
import type { Service } from "../service/service.ts";
import { givenRequestId, idempotencyKey, readJson, readQuery } from "./request.ts";
import { failure, success } from "./respond.ts";

/** What the app tells about its process. */
export interface AppState {
  /** Set while the daemon drains: it is not ready for new work. */
  readonly draining: () => boolean;
}

/**
 * The HTTP surface: the contract's endpoints mounted on the service, and the daemon's own pages. Errors of any kind
 * leave as an envelope.
 */
export function createApp(service: Service, logger: Logger, state: AppState = { draining: () => false }): H3 {
  // Only what no route sees comes here: a path that does not decode.
  const app = new H3({ silent: true, onError: (_error, event) => unknown(event) });

  /** Runs a handler under a request id, and turns whatever it throws into an envelope. */
  function answering(
    name: string,
    handler: (event: H3Event, request_id: string) => Promise<Response> | Response,
    headers: Record<string, string> = {},
  ): (event: H3Event) => Promise<Response> {
    return async (event) => {
      const request_id = givenRequestId(event.req.headers) ?? service.ids.request();
      const started = performance.now();
      let response: Response;
      let code = 0;
      try {
        response = await handler(event, request_id);
      } catch (error) {
        const known = error instanceof AnpError ? error : new AnpError(500, undefined, { cause: error });
        code = known.code;
        response = failure(known, request_id, headers);
        const { signal } = event.req;
        if (signal.aborted && error === signal.reason) {
          logger.info({ request_id, operation: name }, "the caller has gone");
          return response;
        }
        const told = code === 500 ? "internal error" : code === 1007 ? "the model call failed" : undefined;
        if (told !== undefined) logger.error({ err: error, request_id, operation: name }, told);
      }
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const fields = { request_id, operation: name, status: response.status, code, ms };
      // A line a success would cost more than the request: it is there for who asks for it.
      if (response.status < 400) logger.debug(fields, "request");
      else logger.info(fields, "request");
      return response;
    };
  }

  const unknown = answering("unknown", () => {
    throw new AnpError(404);
  });

  function mount(id: OperationId): void {
    const endpoint: Endpoint = ENDPOINTS[id];
    const headers: Record<string, string> =
      endpoint.stability === "experimental" ? { "x-stability": "experimental" } : {};
    const answer = async (event: H3Event, request_id: string): Promise<Response> => {
      allow(event, endpoint.method);
      const user = await userOf(event, endpoint);
      const body = endpoint.body === undefined ? undefined : await readJson(event.req, LIMITS.requestBody);
      const faults: Fault[] = [];
      const key = endpoint.idempotent === true ? idempotencyKey(event.req.headers, faults) : undefined;
      const query = readQuery(endpoint, event.url.search, faults);
      const call: Call = {
        request_id,
        ...(user === undefined ? {} : { user }),
        ...(key === undefined ? {} : { idempotency_key: key }),
        ...(id === "sendChat" ? { signal: event.req.signal } : {}),
      };
      const outcome = await service.run(id, call, { query, body, faults });
      const replayed = outcome.replayed === true ? { "idempotency-replayed": "true" } : {};
      return success(outcome.data, request_id, { ...headers, ...replayed });
    };
    app.all(endpoint.path, answering(id, answer, headers));
  }

  async function userOf(event: H3Event, endpoint: Endpoint): Promise<string | undefined> {
    if (endpoint.auth === "none") return undefined;
    const token = event.req.headers.get("x-user-token");
    if (endpoint.auth === "required") {
      const user = token === null ? undefined : await service.authenticate(token);
      if (user === undefined) throw new AnpError(401);
      return user;
    }
    try {
      return token === null ? undefined : await service.authenticate(token);
    } catch (error) {
      // Who may be anonymous is served as that when it cannot be found out who it is.
      logger.error({ err: error }, "an optional token could not be checked");
      return undefined;
    }
  }

  for (const id of Object.keys(ENDPOINTS) as OperationId[]) mount(id);

  app.all(
    "/healthz",
    answering("healthz", (event) => {
      allow(event, "GET");
      return new FastResponse("ok\n", { headers: { "content-type": "text/plain" } });
    }),
  );
  app.all(
    "/readyz",
    answering("readyz", async (event) => {
      allow(event, "GET");
      const fault = state.draining() ? "draining" : await storageFault(service);
      const text = fault === undefined ? "ready\n" : `not ready: ${fault}\n`;
      return new FastResponse(text, {
        status: fault === undefined ? 200 : 503,
        headers: { "content-type": "text/plain" },
      });
    }),
  );
  app.all(
    "/openapi.json",
    answering("openapi", (event) => {
      allow(event, "GET");
      return new FastResponse(openApiText(), { headers: { "content-type": "application/json; charset=utf-8" } });
    }),
  );
  app.all("/**", unknown);
  return app;
}

/** Whoever may GET may also HEAD (RFC 9110 §9.1): load balancers ask so. */
function allow(event: H3Event, method: string): void {
  const allowed = method === "GET" ? ["GET", "HEAD"] : [method];
  if (!allowed.includes(event.req.method))
    throw new AnpError(405, undefined, { headers: { allow: allowed.join(", ") } });
}

async function storageFault(service: Service): Promise<string | undefined> {
  try {
    await service.ready();
    return undefined;
  } catch {
    return "the storage does not answer";
  }
}
