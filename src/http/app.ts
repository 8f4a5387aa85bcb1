import { H3, type H3Event } from "h3";
import { ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError, type FieldError } from "../contract/errors.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Call } from "../service/operation.ts";
import type { Service } from "../service/service.ts";
import { isOutage } from "../storage/storage-errors.ts";
import { createAnswering, type Answering, type RequestMeter } from "./error-handler.ts";
import { clientAddress } from "./client-address.ts";
import { createCors } from "./cors.ts";
import { mountDocs } from "./docs-page.ts";
import { createInFlight, type InFlight, type UserSlot } from "./in-flight.ts";
import { mountMetrics, mountPages, type MetricsPage } from "./status-pages.ts";
import type { RateLimits } from "./rate-limits.ts";
import { allow, idempotencyKey, readJson, readQuery } from "./read-request.ts";
import { success } from "./respond.ts";

/** What the app knows of its process. */
export interface AppOptions {
  /** Set while the daemon drains: it is not ready for new work. */
  readonly draining?: () => boolean;
  /** Bounds the requests that run at once; made of the configuration where none is given. */
  readonly inFlight?: InFlight;
  readonly rates?: RateLimits | undefined;
  readonly meter?: RequestMeter | undefined;
  /** Served at /metrics; not served where none is given. */
  readonly metrics?: MetricsPage | undefined;
}

/**
 * The HTTP surface: the contract's endpoints mounted on the service, and the daemon's own pages. Errors of any kind
 * leave as an envelope.
 */
export function createApp(service: Service, logger: Logger, options: AppOptions = {}): H3 {
  const { server, limits } = service.config;
  const { rates, meter, metrics } = options;
  const inFlight = options.inFlight ?? createInFlight({ all: limits.in_flight, perUser: limits.in_flight_per_user });
  const answering = createAnswering({ ids: service.ids, logger, meter });
  const cors = createCors(server.cors);
  // Only what no route sees comes here: a path that does not decode.
  const app = new H3({ silent: true, onError: (_error, event) => unknown(event) });

  const unknown = answering("unknown", () => {
    throw new AnpError(404);
  });

  /** The router takes a path with a slash at its end for the one without; the interface has no such path. */
  const exactly: Answering = (name, handler, failures) => {
    const answer = answering(name, handler, failures);
    return (event) => (event.url.pathname.endsWith("/") ? unknown(event) : answer(event));
  };

  function mount(id: OperationId): void {
    const endpoint: Endpoint = ENDPOINTS[id];
    const headers: Record<string, string> =
      endpoint.stability === "experimental" ? { "x-stability": "experimental" } : {};

    async function answer(event: H3Event, request_id: string): Promise<Response> {
      const preflight = cors?.preflight(event, endpoint.method);
      if (preflight !== undefined) return preflight;
      cors?.mark(event);
      allow(event.req, endpoint.method);
      inFlight.enter();
      let slot: UserSlot | undefined;
      try {
        const user = await userOf(event, endpoint).catch(async (error: unknown) => {
          // Whoever tries tokens has no user to be counted for.
          if (rates !== undefined && error instanceof AnpError && error.code === 401)
            await taken(rates, event, undefined);
          throw error;
        });
        if (user !== undefined) slot = inFlight.enterAs(user);
        const left = rates === undefined ? undefined : await taken(rates, event, user);
        const body = endpoint.body === undefined ? undefined : await readJson(event.req, limits.body_bytes);
        const faults: FieldError[] = [];
        const key = endpoint.idempotent === true ? idempotencyKey(event.req.headers, faults) : undefined;
        const query = readQuery(endpoint, event.url.search, faults);
        const call: Call = {
          request_id,
          ...(user === undefined ? {} : { user }),
          ...(key === undefined ? {} : { idempotency_key: key }),
          ...(id === "sendChat" ? { signal: event.req.signal } : {}),
        };
        const outcome = await service.run(id, call, { query, body, fieldErrors: faults });
        const replayed = outcome.replayed === true ? { "idempotency-replayed": "true" } : {};
        return success(outcome.data, request_id, { ...headers, ...left, ...replayed });
      } finally {
        if (slot !== undefined) inFlight.leaveAs(slot);
        inFlight.leave();
      }
    }

    function taken(rates: RateLimits, event: H3Event, user: string | undefined) {
      const caller =
        user === undefined ? `address:${clientAddress(event.req, server.trusted_proxies)}` : `user:${user}`;
      return rates.take(endpoint.rate, caller);
    }

    const outage = endpoint.errors.includes(503) ? 503 : 500;
    app.all(endpoint.path, exactly(id, answer, { headers, outage }));
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
      if (!isOutage(error)) logger.error({ err: error }, "an optional token could not be checked");
      return undefined;
    }
  }

  for (const id of Object.keys(ENDPOINTS) as OperationId[]) mount(id);
  mountPages(app, exactly, service, options.draining ?? (() => false));
  if (server.docs) mountDocs(app, exactly);
  if (metrics !== undefined) mountMetrics(app, exactly, metrics);
  app.all("/**", unknown);
  return app;
}

/** An app for an address of its own that serves the metrics and nothing else. */
export function createMetricsApp(deps: {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: MetricsPage;
}): H3 {
  const app = new H3({ silent: true });
  const answering = createAnswering(deps);
  mountMetrics(app, answering, deps.metrics);
  app.all(
    "/**",
    answering("unknown", () => {
      throw new AnpError(404);
    }),
  );
  return app;
}
