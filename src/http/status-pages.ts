import { readFileSync } from "node:fs";
import { escapeUTF8 } from "entities";
import type { H3 } from "h3";
import { openApiText } from "../contract/openapi.ts";
import type { Service } from "../service/service.ts";
import { StorageReplacedError } from "../storage/identity/expected-identity.ts";
import { fillTemplate } from "../runtime/fill-template.ts";
import { packageFile } from "../runtime/package-file.ts";
import { version } from "../runtime/version.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { RequestWrapper } from "./request-wrapper.ts";
import { allow } from "./read-request.ts";
import { page } from "./respond.ts";

/** The page that Prometheus scrapes. */
export type MetricsPage = Pick<Metrics, "text"> & { readonly contentType: string };

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
    const reason = await whyNotReady(service, state);
    return page(`${readiness(reason)}\n`, "text/plain", { status: reason === undefined ? 200 : 503 });
  });
  let openApi: string | undefined;
  const { exchange, trade_reward } = service.config;
  const ceilings = { token_amount: exchange.max_amount, volume_usd: trade_reward.max_volume_usd };
  mount(app, wrap, "openapi.json", () => page((openApi ??= openApiText(ceilings)), "application/json; charset=utf-8"));
}

/** Other pages of the daemon, by path, with what a person finds there. */
const LINKS = {
  docs: "the API's documentation, with calls to try",
  "openapi.json": "the same for programs (OpenAPI)",
  readyz: "whether the daemon is ready",
  metrics: "metrics for Prometheus",
} as const;

/** Mounts the page at / for a person with a browser: what this is, its state, and where to go on. It has no script. */
export function mountFrontPage(
  app: H3,
  wrap: RequestWrapper,
  service: Service,
  state: DaemonState & { readonly has: Readonly<Record<"docs" | "metrics", boolean>> },
): void {
  const template = readFileSync(packageFile("dist/bundle/docs/front-page.html"), "utf8");
  const served = Object.entries(LINKS).filter(([path]) => !(path in state.has) || state.has[path as "docs"]);
  const links = served.map(([path, text]) => `      <li><a href="${path}">/${path}</a>: ${text}</li>`).join("\n");
  const headers = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  };
  const answer = wrap("front-page", async (event) => {
    allow(event.req, "GET");
    const values = { version: version(), state: readiness(await whyNotReady(service, state)), links };
    const html = fillTemplate(template, { ...values, origin: escapeUTF8(event.url.origin) });
    return page(html, "text/html; charset=utf-8", { headers });
  });
  app.all("/", answer);
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

function readiness(reason: string | undefined): string {
  return reason === undefined ? "ready" : `not ready: ${reason}`;
}

async function whyNotReady(service: Service, state: DaemonState): Promise<string | undefined> {
  if (state.draining?.() === true) return "draining";
  if (state.starting?.() === true) return "starting";
  try {
    await service.ready();
    return undefined;
  } catch (error) {
    if (error instanceof StorageReplacedError) return "another storage is in the place of this one";
    return "the storage does not take writes";
  }
}
