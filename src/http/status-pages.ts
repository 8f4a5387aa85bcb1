import type { H3 } from "h3";
import { openApiText } from "../contract/openapi.ts";
import type { Service } from "../service/service.ts";
import { StorageReplacedError } from "../storage/identity/expected-identity.ts";
import type { RequestWrapper } from "./request-wrapper.ts";
import { allow } from "./read-request.ts";
import { page } from "./respond.ts";

/** The page that Prometheus scrapes. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Why a daemon is not ready, besides its storage. */
export interface DaemonState {
  /** True while the daemon drains: it is not ready for new work. */
  readonly draining?: () => boolean;
  /** True while the daemon loads what it is to serve: it is not ready yet. */
  readonly starting?: () => boolean;
}

/** Mounts the daemon's own pages: liveness, readiness, and the OpenAPI document. */
export function mountPages(app: H3, wrap: RequestWrapper, service: Service, state: DaemonState): void {
  mount(app, wrap, "healthz", () => page("ok\n", "text/plain"));
  mount(app, wrap, "readyz", async () => {
    const phase = state.draining?.() === true ? "draining" : state.starting?.() === true ? "starting" : undefined;
    const reason = phase ?? (await outageOf(service));
    const text = reason === undefined ? "ready\n" : `not ready: ${reason}\n`;
    return page(text, "text/plain", { status: reason === undefined ? 200 : 503 });
  });
  let openApi: string | undefined;
  mount(app, wrap, "openapi.json", () => page((openApi ??= openApiText()), "application/json; charset=utf-8"));
}

/** Mounts the metrics. */
export function mountMetrics(app: H3, wrap: RequestWrapper, metrics: MetricsPage): void {
  mount(app, wrap, "metrics", async () => page(await metrics.text(), metrics.contentType));
}

function mount(app: H3, wrap: RequestWrapper, name: string, read: () => Response | Promise<Response>): void {
  const handler = wrap(name.replace(".json", ""), (event) => {
    allow(event.req, "GET");
    return read();
  });
  app.all(`/${name}`, handler);
}

async function outageOf(service: Service): Promise<string | undefined> {
  try {
    await service.ready();
    return undefined;
  } catch (error) {
    if (error instanceof StorageReplacedError) return "another storage is in the place of this one";
    return "the storage does not take writes";
  }
}
