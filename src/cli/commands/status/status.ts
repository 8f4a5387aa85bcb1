import { setTimeout as delay } from "node:timers/promises";
import { readDaemonStatus, type DaemonStatus } from "../../../client/daemon-status.ts";
import { fillTemplate } from "../../../runtime/text/fill-template.ts";
import FIGURES from "../../../client/figures.json" with { type: "json" };
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import { CommandFailure, defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { optional, toggle } from "../../params/param.ts";
import { interval, showSpan } from "../../framework/time-format.ts";
import { daemonPages, metricsUrlFlag } from "../../target/daemon-target.ts";
import { formatOf, openRowPrinter, printRecord, printTable, type Column } from "../../terminal/print.ts";
import SCREEN from "./screen.json" with { type: "json" };

const COLUMNS: readonly Column<DaemonStatus>[] = [
  ...(["url", "at", "state", "reason", "version"] as const).map((name) => ({ name })),
  ...(Object.keys(FIGURES) as (keyof typeof FIGURES)[]).map((name) => {
    return { name, of: ({ figures }: DaemonStatus) => figures?.[name] };
  }),
];
const MAX_OPERATIONS = 10; // Operations that one screen has room for.

export const command = defineCommand("status", {
  options: { watch: toggle(), interval: optional(interval), metricsUrl: metricsUrlFlag },
  async run({ watch, interval: interval_ms = 2000, metricsUrl }, context) {
    const { clock, io } = context;
    const pages = await daemonPages(context, metricsUrl);
    const show = openStatusPrinter(context, watch);
    if (watch) {
      const { signal, forget } = awaitInterrupt(io);
      while (!signal.aborted && (await show(await readDaemonStatus(pages, clock.now()))))
        await delay(interval_ms, undefined, { signal }).catch(() => undefined);
      forget();
      return signal.aborted ? EXIT.interrupted : EXIT.ok;
    }
    const status = await readDaemonStatus(pages, clock.now());
    await show(status);
    const { url, state, reason, metrics_error } = status;
    if (metrics_error !== null && state !== "unreachable" && formatOf(context) !== "table")
      context.terminal.say(fillTemplate(SCREEN.none.metrics, { metrics_error }));
    if (state === "ready") return EXIT.ok;
    if (state === "unreachable") throw new CommandFailure(EXIT.unreachable, reason);
    throw new CommandFailure(EXIT.failure, `${url} is not ready: ${reason}`);
  },
});

/** Returns a function that prints each status as a screen or a line; false once the reader has gone. */
function openStatusPrinter(context: Context, watch: boolean): (status: DaemonStatus) => Promise<boolean> {
  const format = formatOf(context);
  const lines = openRowPrinter(context, COLUMNS);
  if (format === "json") {
    if (watch) throw new UsageError("--watch never ends: use --format jsonl instead of --json.");
    return (status) => printRecord(context, status);
  }
  if (format !== "table") return async (status) => (await lines.print(status)) && lines.flush();
  return async (status) => {
    if (watch) context.terminal.clear();
    const rows = status.latencies.slice(0, MAX_OPERATIONS);
    const isRead = await printRecord(context, screenOf(status));
    return rows.length === 0 ? isRead : printTable(context, { table: "latencies", rows });
  };
}

const MAX_NAMED = 5; // Most failing sources that are named.

function screenOf({ url, state, reason, metrics_error, version, ...status }: DaemonStatus) {
  const { figures, sources, breakers } = status;
  const failing = sources.filter(({ ok }) => !ok).map(({ id }, at) => `${at === 0 ? ": " : ", "}${id}`);
  const age_s = figures?.news_age_seconds ?? Infinity;
  const values = {
    ...{ url, state, metrics_error, version, ...figures },
    why: reason === null ? "" : ` (${reason})`,
    uptime: showSpan((figures?.uptime_seconds ?? 0) * 1000),
    megabytes: Math.round((figures?.memory_bytes ?? 0) / 1e6),
    storage: figures?.storage_up === 1 ? "up" : "down",
    refreshed: age_s === Infinity ? "never" : `${showSpan(age_s * 1000)} ago`,
    all_sources: sources.length,
    failing: failing.slice(0, MAX_NAMED).join(""),
    embeddings_are: figures?.embedding_breaker_open === 1 ? "left alone" : "in use",
    of_day: figures?.model_day_budget ? `, today ${figures.model_day_tokens} of ${figures.model_day_budget}` : "",
    breakers: breakers.map(({ host, model, open }) => `; ${host} ${model} ${open ? "left alone" : "in use"}`).join(""),
  };
  const ofModel = { ...(breakers.length > 0 && SCREEN.model), ...(figures?.embedding_passages && SCREEN.embeddings) };
  const parts = { ...SCREEN.state, ...(figures === null ? SCREEN.none : { ...SCREEN.figures, ...ofModel }) };
  return Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, fillTemplate(text, values)]));
}
