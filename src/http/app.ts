import { H3 } from "h3";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../service/service.ts";
import type { Cors } from "./cors.ts";
import { DirectApp } from "./direct-routes.ts";
import { createRequestWrapper, type RequestWrapper } from "./request-wrapper.ts";
import { createOperationContext, fixedHeaders, operationRoute, type OperationOptions } from "./operation-routes.ts";
import { type DaemonState, mountMetrics, mountPages, type MetricsPage } from "./pages/status-pages.ts";

export type AppOptions = DaemonState & OperationOptions;

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
