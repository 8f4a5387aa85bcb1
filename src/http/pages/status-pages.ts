import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { escapeUTF8 } from "entities";
import type { H3 } from "h3";
import { openApiText } from "../../contract/openapi/openapi-document.ts";
import type { Service } from "../../service/service.ts";
import { StorageReplacedError } from "../../storage/storage.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import { packageFile, version } from "../../runtime/package-file.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { mountPage, type RequestWrapper } from "../request-wrapper.ts";
import { entityTag, namesTag, page } from "../respond.ts";
import DOCS_PAGE from "./docs-page.json" with { type: "json" };
import FRONT_PAGE from "./front-page.json" with { type: "json" };

const DOCS = packageFile("dist/bundle/docs/"); // Where the build puts the folder `docs` and Swagger UI's files.

/** The page that Prometheus scrapes. */
export type MetricsPage = Pick<Metrics, "text"> & { readonly contentType: string };

/** The state of a daemon that its pages show, besides its service. */
export interface DaemonState {
  readonly state?: () => "starting" | "draining" | undefined; // Loading data, or taking no new work.
  readonly metrics?: MetricsPage | undefined; // Served at /metrics; without it, that path is 404.
}

/** Mounts the daemon's own pages: liveness, readiness, the OpenAPI document, and those for browsers. */
export function mountPages(app: H3, wrap: RequestWrapper, service: Service, state: DaemonState): void {
  const { server, exchange, trade_reward } = service.config;
  mountPage(app, "/healthz", wrap, "healthz", () => page("ok\n", "text/plain"));
  mountPage(app, "/readyz", wrap, "readyz", async () => {
    const reason = await notReadyReason(service, state);
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
  const template = readFileSync(new URL("front-page.html", DOCS), "utf8");
  const off = [service.config.server.docs ? "" : "docs", state.metrics === undefined ? "metrics" : ""];
  const served = Object.entries(FRONT_PAGE.links).filter(([path]) => !off.includes(path));
  const links = served.map(([path, text]) => `      <li><a href="${path}">/${path}</a>: ${text}</li>`).join("\n");
  mountPage(app, "/", wrap, "front-page", async (event) => {
    const values = { version: version(), state: readiness(await notReadyReason(service, state)), links };
    const html = fillTemplate(template, { ...values, origin: escapeUTF8(event.url.origin) });
    return page(html, "text/html; charset=utf-8", { headers: FRONT_PAGE.headers });
  });
}

export const mountMetrics = (app: H3, wrap: RequestWrapper, metrics: MetricsPage): void =>
  mountPage(app, "/metrics", wrap, "metrics", async () => page(await metrics.text(), metrics.contentType));

const readiness = (reason: string | undefined): string => (reason === undefined ? "ready" : `not ready: ${reason}`);

async function notReadyReason(service: Service, { state }: DaemonState): Promise<string | undefined> {
  try {
    const reason = state?.();
    if (reason === undefined) await service.ready();
    return reason;
  } catch (error) {
    if (error instanceof StorageReplacedError) return "another storage is in the place of this one";
    return "the storage does not take writes";
  }
}

/** Mounts the API's documentation for browsers at /docs. It loads nothing from other hosts. */
function mountDocs(app: H3, wrap: RequestWrapper): void {
  // A file is read each time so that it does not stay in memory.
  const mount = (path: string, file: string, headers: Record<string, string>) =>
    mountPage(app, path, wrap, "docs", async ({ req }) => {
      const body = await readFile(new URL(file, DOCS));
      const etag = entityTag(body);
      const tagged = { ...headers, etag };
      const isKnown = namesTag(req.headers.get("if-none-match"), etag);
      const type = DOCS_PAGE.types[extname(file) as keyof typeof DOCS_PAGE.types];
      return page(isKnown ? "" : new Uint8Array(body), type, { status: isKnown ? 304 : 200, headers: tagged });
    });
  const headers = { "cache-control": "no-cache" };
  // Paths in the page are relative to /docs, so that it works behind a proxy that puts it elsewhere.
  mount("/docs", "index.html", { ...headers, "content-security-policy": DOCS_PAGE.policy });
  mount("/docs/start.js", "start.js", headers);
  for (const name of DOCS_PAGE.files) mount(`/docs/${name}`, name, { "cache-control": "public, max-age=86400" });
}
