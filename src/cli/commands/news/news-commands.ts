import { setTimeout as sleep } from "node:timers/promises";
import type { News } from "../../../news/news.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT } from "../../framework/command.ts";
import { withProgress } from "../../framework/with-progress.ts";
import { anyText, optional, word, integer } from "../../params/param.ts";
import { runOperation, withOperations, withSession } from "../../target/operations.ts";
import { sources } from "./sources-commands.ts";
import { showInstant } from "../../framework/time-format.ts";
import { formatOf, printRecord, printTable } from "../../terminal/print.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const [symbol, text] = [optional(word), optional(anyText)];
const FILTER = { symbol, source: text, category: text, query: text };

const hot = defineCommand("news hot", {
  options: { limit: optional(integer()), hours: optional(integer()), ...FILTER },
  async run({ query: q, limit, ...filter }, context) {
    const { data } = await runOperation(context, "getNewsHot", { input: { query: { limit, ...filter, q } } });
    await printTable(context, { table: "news", data, rows: data.news, filter: { ...filter, q } });
    if (data.total > data.news.length) context.terminal.say(`${data.news.length} of ${data.total} items.`);
  },
});

const topics = defineCommand("news topics", {
  options: { limit: optional(integer()), lang: optional(word), ...FILTER },
  async run({ query: q, limit, lang, ...filter }, context) {
    const { data } = await runOperation(context, "getNewsTopics", { input: { query: { limit, lang, ...filter, q } } });
    const cells = { heat: { show: ({ heat }: { readonly heat: number }) => heat.toFixed(1) } };
    await printTable(context, { table: "news topics", data, rows: data.topics, cells, filter: { ...filter, q } });
  },
});

const LOOK_MS = 50; // Polling interval of a refresh's progress, ms.
const NAMED = 4; // Most pending sources that are named.
const AGAIN = "Nothing was lost: the same command reads the sources again.";
const modes = async () =>
  (await import("../../../contract/schemas/news-schemas.ts")).refreshQuery.shape.mode.unwrap().options;

const refresh = defineCommand("news refresh", {
  options: { mode: { ...optional(anyText), choices: modes } },
  async run({ mode }, context) {
    const { terminal } = context;
    const { data, sources } = await withOperations(context, undefined, async ({ run, session }) => {
      if (session === undefined) terminal.progress("waiting for the daemon, which does not say how far it is");
      const refreshed = run("refreshNews", { query: { mode } });
      if (session === undefined) return { ...(await refreshed.finally(() => terminal.progress(""))), sources: [] };
      const { news } = session.service;
      const ended = refreshed.then(Boolean, () => true);
      await withProgress(context, AGAIN, async (report) => {
        while (!(await Promise.race([ended, sleep(LOOK_MS, false, { ref: false })])))
          report(() => showReading(news.reading()));
      });
      // The API does not report the state of the sources.
      return { ...(await refreshed), sources: (await news.status()).sources };
    });
    // A source that was never read has not failed.
    const failed = sources.filter(({ ok, last_error }) => !ok && last_error !== null);
    await printRecord(context, data);
    const empty = sources.flatMap(({ id, state }) => (state === "empty" ? id : []));
    const [are, they] = empty.length === 1 ? ["source is", "it"] : ["sources are", "they"];
    if (empty.length > 0) terminal.say(`${empty.length} ${are} empty: ${empty.join(", ")}. What ${they} had stays.`);
    if (failed.length === 0) return;
    const exit = failed.length === sources.length ? EXIT.unreachable : EXIT.partial;
    const lines = failed.map(({ id, last_error }) => `\n${id}: ${last_error}`).join("");
    throw new CommandFailure(exit, `${failed.length} of ${sources.length} sources failed.${lines}`);
  },
});

/** The progress of a refresh, as `2 of 8 sources read, waiting for Wire, Desk`. */
function showReading(reading: ReturnType<News["reading"]>): string {
  if (reading === undefined) return "refreshing the news";
  const { read, all, waiting } = reading;
  const names = [...waiting.slice(0, NAMED), ...(waiting.length > NAMED ? [`${waiting.length - NAMED} more`] : [])];
  return `${read} of ${all} sources read, ${names.length === 0 ? "publishing" : `waiting for ${names.join(", ")}`}`;
}

const status = defineCommand("news status", {
  async run(_values, context) {
    const data = await withSession(context, ({ service }) => service.news.status());
    const cells = { state: { show: coloured }, last_read: { of: lastRead } };
    await printTable(context, { table: "news status", data, rows: data.sources, cells });
    const { version, published_at, items, topics, notices, help } = data;
    const counts = `${items} items, ${topics} topics, ${notices} notices, ${help} help articles`;
    if (version === 0) context.terminal.say("No snapshot yet. `anp news refresh --mode full` publishes one.");
    else if (formatOf(context) === "table")
      await context.terminal.write(`\nSnapshot ${version} of ${showInstant(published_at)}: ${counts}.\n`);
  },
});

type SourceRow = Awaited<ReturnType<News["status"]>>["sources"][number];
const coloured = ({ ok, state }: SourceRow, { paint }: Terminal) => paint(ok ? "green" : "red", state);
const COUNTS = ["read", "kept", "excess", "cut", "old", "undated", "refused"] as const;

/** The counts of the last read, as `12 read, 10 kept, 2 old`, and of items that another source shows. */
function lastRead({ last_read, elsewhere, unchanged }: SourceRow): string {
  const counts = COUNTS.flatMap((name) => (last_read?.[name] ? `${last_read[name]} ${name}` : []));
  if (elsewhere > 0) counts.push(`${elsewhere} shown by others`);
  return [...counts, ...(unchanged === true ? ["unchanged"] : [])].join(", ");
}

export const command = defineGroup("news", { hot, topics, refresh, status, sources });
