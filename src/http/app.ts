import { H3 } from "h3";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../service/service.ts";
import { DirectApp } from "./direct-routes.ts";
import { createCors } from "./cors.ts";
import { createRequestWrapper, type RequestWrapper, type RequestMeter } from "./request-wrapper.ts";
import { createConcurrencyLimits, type ConcurrencyLimits } from "./limits/concurrency-limits.ts";
import { operationRoute, stabilityHeaders } from "./operation-routes.ts";
import { createLoadShedder } from "./limits/load-shedder.ts";
import { createPace } from "./limits/pace.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { type DaemonState, mountMetrics, mountPages, type MetricsPage } from "./pages/status-pages.ts";

/** What the app needs from its process. */
export interface AppOptions extends DaemonState {
  readonly inFlight?: ConcurrencyLimits; // Created from the configuration by default.
  readonly rates?: RateLimits | undefined;
  readonly meter?: RequestMeter | undefined;
}

/** The HTTP surface: the contract's endpoints mounted on the service, and the daemon's own pages. Every error becomes
 * an envelope.
 * @example
 * const response = await createApp(service, logger).request("http://anp.test/api/v1/news/hot");
 */
export function createApp(service: Service, logger: Logger, options: AppOptions = {}): H3 {
  const { server, limits } = service.config;
  const { rates, meter } = options;
  const wrap = createRequestWrapper({ ids: service.ids, logger, meter, reportDamage: service.reportDamage });
  const unknown = notFound(wrap);
  // Called only for a path that cannot be decoded: no route matches it.
  const app = new DirectApp({ silent: true, onError: (_error, event) => unknown(event) });
  const refused = meter?.refused;
  const inFlight =
    options.inFlight ?? createConcurrencyLimits({ all: limits.in_flight, perUser: limits.in_flight_per_user, refused });
  const load = createLoadShedder({ wait_ms: limits.wait_ms, hasModel: service.config.model !== undefined, refused });
  const context = { service, logger, inFlight, load, rates, turn: createPace(64), cors: createCors(server.cors) };
  for (const [id, endpoint] of Object.entries(ENDPOINTS) as [OperationId, Endpoint][]) {
    const outage = codesOf(endpoint).includes(503) ? 503 : 500;
    const answer = wrap(id, operationRoute(id, context), { headers: stabilityHeaders(endpoint), outage });
    app.all(endpoint.path, answer);
    app.direct.set(`${endpoint.method} ${endpoint.path}`, answer);
  }
  mountPages(app, wrap, service, options);
  return app.all("/**", unknown);
}

/** An app for a separate address that serves only the metrics. */
export function createMetricsApp(service: Pick<Service, "ids" | "logger">, metrics: MetricsPage): H3 {
  const app = new H3({ silent: true });
  const wrap = createRequestWrapper({ ids: service.ids, logger: service.logger });
  mountMetrics(app, wrap, metrics);
  return app.all("/**", notFound(wrap));
}

const notFound = (wrap: RequestWrapper): ReturnType<RequestWrapper> =>
  wrap("unknown", () => {
    throw new AnpError(404);
  });
