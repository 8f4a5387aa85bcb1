import { H3, type H3Event } from "h3";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError, type FieldError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../service/service.ts";
import { createCors, type Cors } from "./cors.ts";
import { DirectApp } from "./direct-routes.ts";
import { createRequestWrapper, isUnavailable } from "./request-wrapper.ts";
import type { RequestWrapper, Handler, RequestMeter } from "./request-wrapper.ts";
import { mountMetrics, mountPages, type DaemonState, type MetricsPage } from "./pages/status-pages.ts";
import type { z } from "zod";
import { isOperatorToken } from "../contract/roles.ts";
import { findLossyValues } from "../runtime/json/lossy-json.ts";
import type { Call } from "../service/operation.ts";
import { createConcurrencyLimits, type ConcurrencyLimits, type UserSlot } from "./limits/concurrency-limits.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { createLoadShedder } from "./limits/load-shedder.ts";
import { createPace } from "./limits/pace.ts";
import { clientAddress } from "./limits/client-address.ts";
import { allow, idempotencyKey, readQuery, declaredBytes, readJson } from "./read-request.ts";
import { reusableSuccess, success } from "./respond.ts";

export interface AppOptions extends DaemonState {
  readonly inFlight?: ConcurrencyLimits; // Created from the configuration by default.
  readonly rates?: RateLimits | undefined;
  readonly meter?: RequestMeter | undefined;
}

/** The HTTP surface: the contract's endpoints and the daemon's own pages. Every error becomes an envelope.
 * @example const response = await createApp(service, logger).request("http://anp.test/api/v1/news/hot"); */
export function createApp(service: Service, logger: Logger, options: AppOptions = {}): H3 {
  const context = createOperationContext(service, logger, options);
  const wrap = createRequestWrapper(service, logger, options.meter, context.cors);
  const unknown = notFound(wrap, context.cors);
  // Called only for a path that cannot be decoded: no route matches it.
  const app = new DirectApp({ silent: true, onError: (_error, event) => unknown(event) });
  app.refuse = wrap("malformed", (event) => Promise.reject((event as unknown as { error: AnpError }).error));
  for (const [id, endpoint] of Object.entries(ENDPOINTS) as [OperationId, Endpoint][]) {
    const outage = codesOf(endpoint).includes(503) ? 503 : 500;
    const answer = wrap(id, operationRoute(id, context), { headers: fixedHeaders(endpoint), outage });
    app.all(endpoint.path, answer);
    app.direct.set(`${endpoint.method} ${endpoint.path}`, answer);
  }
  mountPages(app, wrap, service, options);
  return app.all("/**", unknown);
}

/** An app for a separate address that serves only the metrics. */
export function createMetricsApp(service: Service, metrics: MetricsPage): H3 {
  const app = new H3({ silent: true });
  const wrap = createRequestWrapper(service, service.logger);
  mountMetrics(app, wrap, metrics);
  return app.all("/**", notFound(wrap));
}

const notFound = (wrap: RequestWrapper, cors?: Cors): ReturnType<RequestWrapper> =>
  wrap("unknown", (event) => cors?.preflight(event, "GET", "POST") ?? Promise.reject(new AnpError(404)));

type OperationContext = ReturnType<typeof createOperationContext>;

function createOperationContext(service: Service, logger: Logger, options: AppOptions) {
  const { server, limits, model } = service.config;
  const refused = options.meter?.refused;
  const inFlight = options.inFlight ?? createConcurrencyLimits({ ...limits, refused });
  const load = createLoadShedder({ ...limits, hasModel: model !== undefined, refused });
  const turn = createPace(64); // As many requests with a body as take some milliseconds.
  return { service, logger, inFlight, load, turn, rates: options.rates, cors: createCors(server.cors) };
}

/** Answers one operation of the contract. The order of the checks is part of the interface: method, load, token, rate
 * limit, body and its type, fields, then the service. Every await here adds to the time of each request. */
function operationRoute(id: OperationId, context: OperationContext): Handler {
  const { service, cors, inFlight, load, turn } = context;
  const endpoint: Endpoint = ENDPOINTS[id];
  const fixed = fixedHeaders(endpoint);
  return async (event, request_id) => {
    const preflight = cors?.preflight(event, endpoint.method);
    if (preflight !== undefined) return preflight;
    allow(event.req, endpoint.method);
    // Requests with a body are paced, so that a burst does not delay reads.
    const waited = endpoint.body === undefined ? 0 : await turn();
    inFlight.enter();
    // A request with a body counts as running only once that is received: a stalled body must not block others.
    let isRunning = endpoint.body === undefined;
    if (!isRunning) inFlight.leave();
    let slot: UserSlot | undefined;
    let end: (() => void) | undefined;
    try {
      if (!isRunning) load.check(endpoint.rate, 1, waited);
      const user = endpoint.auth === "none" ? undefined : await authenticate(event, endpoint, context);
      if (user !== undefined) slot = inFlight.enterAs(user);
      const counted = countRate(event, endpoint, user, context);
      const rate = counted instanceof Promise ? await counted : counted;
      const fieldErrors: FieldError[] = [];
      let body: unknown;
      if (endpoint.body !== undefined && slot !== undefined) {
        const { value, text } = await receiveBody(event, slot, context);
        body = value;
        if (endpoint.keeps_body === true) fieldErrors.push(...lossyFields(endpoint.body, text));
        inFlight.enter();
        isRunning = true;
        end = load.begin(endpoint.rate, slot.running, waited);
      }
      const call = callOf(event, endpoint, { request_id, ...(user !== undefined && { user }) }, fieldErrors);
      const query = readQuery(endpoint, event.url.search, fieldErrors);
      const { data, replayed } = await service.run(id, call, { query, body, fieldErrors });
      const origin = cors?.headersFor(event.req.headers.get("origin"));
      const headers = { ...fixed, ...origin, ...rate, ...(replayed === true && { "idempotency-replayed": "true" }) };
      const { max_age_s } = endpoint;
      if (max_age_s === undefined) return success(data, request_id, headers);
      const ifNoneMatch = event.req.headers.get("if-none-match");
      return reusableSuccess(data, request_id, { max_age_s, ifNoneMatch }, headers);
    } finally {
      end?.();
      if (slot !== undefined) inFlight.leaveAs(slot);
      if (isRunning) inFlight.leave();
    }
  };
}

function callOf({ req }: H3Event, { idempotent, rate }: Endpoint, caller: Call, fieldErrors: FieldError[]): Call {
  const key = idempotent === true ? idempotencyKey(req.headers, fieldErrors) : undefined;
  const signal = rate === "chat" && { signal: req.signal }; // Only chat takes long enough to abort for a lost caller.
  return { ...caller, ...(key !== undefined && { idempotency_key: key }), ...signal };
}

/** Reads the body of a request. The user's slot is held meanwhile, which limits the pending bodies per user. */
async function receiveBody(event: H3Event, slot: UserSlot, { service, inFlight, turn }: OperationContext) {
  const { limits, server } = service.config;
  // The body of an in-process request is in memory already.
  const unknown = event.runtime?.node === undefined ? 0 : limits.body_bytes;
  const bytes = Math.min(declaredBytes(event.req, unknown), limits.body_bytes);
  inFlight.receive(slot, bytes);
  try {
    return await readJson(event, { bytes: limits.body_bytes, ms: server.body_ms });
  } catch (error) {
    await turn(); // Pace the errors: bodies that began together time out together.
    throw error;
  } finally {
    inFlight.received(slot, bytes);
  }
}

function lossyFields({ shape }: z.ZodObject, text: string): FieldError[] {
  const lossy = findLossyValues(text).filter(({ path: [name = ""] }) => Object.hasOwn(shape, name));
  return lossy.map(({ path, message }) => ({ in: "body", path: path.join("."), message }));
}

/** Headers of every answer of an operation, failures included. */
const fixedHeaders = ({ stability, auth }: Endpoint): Record<string, string> => ({
  ...(stability === "experimental" && { "x-stability": stability }),
  ...(auth === "required" && { "cache-control": "no-store" }), // Shared caches do not know X-User-Token as a credential.
});

async function authenticate(event: H3Event, endpoint: Endpoint, context: OperationContext) {
  const token = event.req.headers.get("x-user-token");
  try {
    const user = token === null ? undefined : await context.service.authenticate(token);
    if (user !== undefined || endpoint.auth === "optional") return user;
  } catch (error) {
    const isRefused = error instanceof AnpError && error.code === 401;
    if (isRefused && endpoint.auth === "required") await countRate(event, endpoint, undefined, context);
    if (endpoint.auth === "required") throw error;
    // Where a token is optional, a caller whose token cannot be checked is served as anonymous.
    const isKnown = isRefused || isUnavailable(error) || context.service.reportDamage(error);
    if (!isKnown) context.logger.error({ err: error }, "an optional token could not be checked");
    return undefined;
  }
  await countRate(event, endpoint, undefined, context); // A caller who guesses tokens is counted by address.
  throw new AnpError(401, isOperatorToken(token ?? "") ? OPERATORS_TOKEN : undefined);
}

const OPERATORS_TOKEN = "This is an operator's token: it is valid at the admin address (admin.port) only.";

function countRate({ req }: H3Event, { rate }: Endpoint, user: string | undefined, context: OperationContext) {
  const { trusted_proxies } = context.service.config.server;
  const caller = user === undefined ? `address:${clientAddress(req, trusted_proxies)}` : `user:${user}`;
  return context.rates?.take(rate, caller);
}
