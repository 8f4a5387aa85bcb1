import type { DaemonStatus } from "../../../client/daemon-status.ts";
import { fillTemplate } from "../../../runtime/text/fill-template.ts";
import { showSpan } from "../../framework/time-format.ts";
import SCREEN from "./screen.json" with { type: "json" };

/** Sources that fail that are named. */
const MOST_NAMED = 5;

/** What a terminal shows of a daemon: a line for each of its parts. */
export function screenOf({ url, state, reason, metrics_error, version, ...status }: DaemonStatus) {
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
    failing: failing.slice(0, MOST_NAMED).join(""),
    breakers: breakers.map(({ host, model, open }) => `; ${host} ${model} ${open ? "left alone" : "in use"}`).join(""),
  };
  const ofModel = breakers.length === 0 ? {} : SCREEN.model;
  const parts = { ...SCREEN.state, ...(figures === null ? SCREEN.none : { ...SCREEN.figures, ...ofModel }) };
  return Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, fillTemplate(text, values)]));
}
