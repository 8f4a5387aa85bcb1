import { readFileSync } from "node:fs";
import { escapeUTF8 } from "entities";
import type { H3 } from "h3";
import { openApiText } from "../../contract/openapi/openapi-document.ts";
import type { Service } from "../../service/service.ts";
import { StorageReplacedError } from "../../storage/storage.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import { packageFile, version } from "../../runtime/package-file.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { mountDocs } from "./docs-page.ts";
import { mountPage, type RequestWrapper } from "../request-wrapper.ts";
import { page } from "../respond.ts";
import FRONT_PAGE from "./front-page.json" with { type: "json" };

/** The page that Prometheus scrapes. */
export type MetricsPage = Pick<Metrics, "text"> & { readonly contentType: string };

/** What the pages show of a daemon, besides its service. */
export interface DaemonState {
  readonly state?: () => "starting" | "draining" | undefined; // It loads what it is to serve, or takes no new work.
  readonly metrics?: MetricsPage | undefined; // Served at /metrics; without it, that path is 404.
}

/** Mounts the daemon's own pages: liveness, readiness, the OpenAPI document, and those for people. */
export function mountPages(app: H3, wrap: RequestWrapper, service: Service, state: DaemonState): void {
  const { server, exchange, trade_reward } = service.config;
  mountPage(app, "/healthz", wrap, "healthz", () => page("ok\n", "text/plain"));
  mountPage(app, "/readyz", wrap, "readyz", async () => {
    const reason = await whyNotReady(service, state);
    return page(`${readiness(reason)}\n`, "text/plain", { status: reason === undefined ? 200 : 503 });
  });
  let openApi: string | undefined;
  const ceilings = { token_amount: exchange.max_amount, volume_usd: trade_reward.max_volume_usd };
  mountPage(app, "/openapi.json", wrap, "openapi", () => {
    return page((openApi ??= openApiText(ceilings)), "application/json; charset=utf-8");
  });
  mountFrontPage(app, wrap, service, state);
  if (server.docs) mountDocs(app, wrap);
  if (state.metrics !== undefined) mountMetrics(app, wrap, state.metrics);
}

/** The page at / for a person with a browser: what this is, its state, and where to go on. It has no script. */
function mountFrontPage(app: H3, wrap: RequestWrapper, service: Service, state: DaemonState): void {
  const template = readFileSync(packageFile("dist/bundle/docs/front-page.html"), "utf8");
  const off = [service.config.server.docs ? "" : "docs", state.metrics === undefined ? "metrics" : ""];
  const served = Object.entries(FRONT_PAGE.links).filter(([path]) => !off.includes(path));
  const links = served.map(([path, text]) => `      <li><a href="${path}">/${path}</a>: ${text}</li>`).join("\n");
  mountPage(app, "/", wrap, "front-page", async (event) => {
    const values = { version: version(), state: readiness(await whyNotReady(service, state)), links };
    const html = fillTemplate(template, { ...values, origin: escapeUTF8(event.url.origin) });
    return page(html, "text/html; charset=utf-8", { headers: FRONT_PAGE.headers });
  });
}

/** Mounts the metrics. */
export const mountMetrics = (app: H3, wrap: RequestWrapper, metrics: MetricsPage): void =>
  mountPage(app, "/metrics", wrap, "metrics", async () => page(await metrics.text(), metrics.contentType));

const readiness = (reason: string | undefined): string => (reason === undefined ? "ready" : `not ready: ${reason}`);

async function whyNotReady(service: Service, { state }: DaemonState): Promise<string | undefined> {
  try {
    const reason = state?.();
    if (reason === undefined) await service.ready();
    return reason;
  } catch (error) {
    if (error instanceof StorageReplacedError) return "another storage is in the place of this one";
    return "the storage does not take writes";
  }
}
