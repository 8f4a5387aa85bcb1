import type { H3 } from "h3";
import { openApiText } from "../contract/openapi.ts";
import type { Service } from "../service/service.ts";
import type { Answering } from "./error-handler.ts";
import { allow } from "./read-request.ts";
import { page } from "./respond.ts";

/** The page that Prometheus scrapes. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Mounts the daemon's own pages: liveness, readiness, and the OpenAPI document. */
export function mountPages(app: H3, answering: Answering, service: Service, draining: () => boolean): void {
  app.all(
    "/healthz",
    answering("healthz", (event) => {
      allow(event.req, "GET");
      return page("ok\n", "text/plain");
    }),
  );
  app.all(
    "/readyz",
    answering("readyz", async (event) => {
      allow(event.req, "GET");
      const reason = draining() ? "draining" : await outageOf(service);
      const text = reason === undefined ? "ready\n" : `not ready: ${reason}\n`;
      return page(text, "text/plain", { status: reason === undefined ? 200 : 503 });
    }),
  );
  app.all(
    "/openapi.json",
    answering("openapi", (event) => {
      allow(event.req, "GET");
      return page(openApiText(), "application/json; charset=utf-8");
    }),
  );
}

/** Mounts the metrics. */
export function mountMetrics(app: H3, answering: Answering, metrics: MetricsPage): void {
  app.all(
    "/metrics",
    answering("metrics", async (event) => {
      allow(event.req, "GET");
      return page(await metrics.text(), metrics.contentType);
    }),
  );
}

async function outageOf(service: Service): Promise<string | undefined> {
  try {
    await service.ready();
    return undefined;
  } catch {
    return "the storage does not answer";
  }
}
