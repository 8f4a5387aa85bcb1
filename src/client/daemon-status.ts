import { NOT_AT_ADMIN } from "../contract/admin-call.ts";
import { toIso } from "../runtime/clock.ts";
import { groupBy } from "../runtime/group-by.ts";
import { pageUrl } from "./daemon-url.ts";
import FIGURES from "./figures.json" with { type: "json" };
import { send, UnreachableError } from "./transport.ts";

export interface DaemonPages {
  readonly url: string;
  readonly metricsUrl?: string | undefined; // Its metrics, if not served beside the API.
  readonly isOwn?: boolean; // On this machine: its certificate may be for another name.
}

export type DaemonStatus = Awaited<ReturnType<typeof readDaemonStatus>>;

const IS_ADMIN =
  "is a daemon's admin address: give the address of its API instead, that of server.host and server.port.";

/** Timeout of a page, ms. */
export const PAGE_MS = 5000;

/** Reads a daemon's pages. `now`: ms since the epoch. Figures are since its start, null if metrics cannot be read. */
export async function readDaemonStatus({ url, metricsUrl, isOwn }: DaemonPages, now: number) {
  const metrics_url = metricsUrl ?? pageUrl(url, "/metrics");
  const pages = [pageUrl(url, "/readyz"), pageUrl(url, "/healthz"), metrics_url].map((page) => readPage(page, isOwn));
  const [ready, alive, metrics] = (await Promise.all(pages)) as [Page, Page, Page];
  const isRead = metrics.status === 200;
  const samples = readSamples(isRead ? metrics.text : "");
  const seriesOf = (name: string) => samples.get(name) ?? [];
  return {
    url,
    at: toIso(now),
    ...readinessOf(url, ready, alive),
    metrics_url,
    metrics_error: isRead ? null : metrics.problem,
    version: seriesOf("anp_build_info")[0]?.labels["version"] ?? null,
    figures: isRead ? figuresOf(samples, now) : null,
    sources: seriesOf("anp_news_source_up").map(({ labels, value }) => ({ id: labels["source"], ok: value === 1 })),
    breakers: seriesOf("anp_model_breaker_open").map(({ labels: { host, model }, value }) => {
      return { host, model, open: value === 1 };
    }),
    latencies: latenciesOf(samples),
  };
}

/** Whether the admin address of a daemon of this machine answers there. */
export const isAdminAddress = async (url: string) => isAdmins(await readPage(pageUrl(url, "/readyz"), true));

const isAdmins = ({ status, text }: Page): boolean => status === 404 && text.includes(NOT_AT_ADMIN);
type Page = Awaited<ReturnType<typeof readPage>>;

/** A page; status 0 without a response. `problem`: the reason, for a caller that expects another status. */
async function readPage(url: string, insecure?: boolean) {
  try {
    const headers = { accept: "text/plain", "user-agent": "anp" };
    const { status, text } = await send({ method: "GET", url, headers, insecure }, PAGE_MS);
    return { status, text, problem: `${url} answers ${status}.` };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return { status: 0, text: "", problem: error.message };
  }
}

function readinessOf(url: string, ready: Page, alive: Page) {
  const { status, text, problem } = ready;
  if (isAdmins(ready)) return { state: "unreachable", reason: `${url} ${IS_ADMIN}` } as const;
  if (status === 200 && text === "ready\n") return { state: "ready", reason: null } as const;
  const [, reason] = /^not ready: (.{1,200})\n$/.exec(text) ?? [];
  if (status === 503 && reason !== undefined) return { state: "not ready", reason } as const;
  return { state: status === 0 && alive.text === "ok\n" ? "not ready" : "unreachable", reason: problem } as const;
}

/** Totals of metrics, by the names of `figures.json`: each names its metric, and the values of a label that count. */
function figuresOf(samples: Samples, now: number) {
  const totals = Object.entries(FIGURES).map(([name, [metric, label, ...values]]) => {
    const all = samples.get(metric!) ?? [];
    const counted = label === undefined ? all : all.filter(({ labels }) => values.includes(labels[label] ?? ""));
    return [name, round(counted.reduce((sum, { value }) => sum + value, 0))];
  });
  const figures = Object.fromEntries(totals) as Readonly<Record<keyof typeof FIGURES, number>>;
  return { ...figures, uptime_seconds: round(now / 1000 - figures.uptime_seconds) };
}

function latenciesOf(samples: Samples) {
  const seriesOf = (part: string) => samples.get(`anp_http_request_duration_seconds_${part}`) ?? [];
  const buckets = groupBy(seriesOf("bucket"), ({ labels }) => labels["operation"]);
  const called = seriesOf("count").filter(({ value }) => value > 0);
  called.sort((a, b) => b.value - a.value);
  return called.map(({ labels: { operation }, value: count }) => {
    const quantile = (of: number): number => round(quantileOf(buckets.get(operation) ?? [], of) * 1000);
    return { operation, count, p50_ms: quantile(0.5), p99_ms: quantile(0.99) };
  });
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };
/** The samples of a text in the format of Prometheus, by the name of the metric. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;
/** Reads such a text. Lines that are not samples are skipped. */
export const readSamples = (text: string): Samples => groupBy(text.split("\n").flatMap(readSample), ({ name }) => name);

function readSample(line: string): Sample[] {
  const end = line.lastIndexOf(" ");
  if (line.startsWith("#") || end < 1) return [];
  const [name, list = ""] = line.slice(0, end).split("{", 2);
  const labels = list.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g);
  const entries = Array.from(labels, ([, key, value]) => [key!, value!.replace(/\\(["\\])/g, "$1")] as const);
  return [{ name: name!, labels: Object.fromEntries(entries), value: numberOf(line.slice(end + 1)) }];
}

const numberOf = (text: string): number => Number(text.replace("Inf", "Infinity"));

/** A quantile of a histogram's buckets in order, estimated within a bucket as Prometheus' `histogram_quantile` does. */
export function quantileOf(samples: readonly Sample[], quantile: number): number {
  const buckets = samples.map(({ labels, value: count }) => ({ to: numberOf(labels["le"] ?? ""), count }));
  const rank = quantile * (buckets.at(-1)?.count ?? 0);
  const at = buckets.findIndex(({ count }) => count >= rank);
  const before = buckets[at - 1] ?? { to: 0, count: 0 };
  const { to, count } = buckets[at] ?? before;
  if (to === Infinity || count === before.count) return before.to;
  return before.to + ((to - before.to) * (rank - before.count)) / (count - before.count);
}
