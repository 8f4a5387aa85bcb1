import { setTimeout as sleep } from "node:timers/promises";
import type { News } from "../../../news/news.ts";
import { CommandFailure, EXIT } from "../../framework/command-failure.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { longWork } from "../../framework/long-work.ts";
import { among } from "../../params/param.ts";
import { withOperations } from "../../target/operations.ts";
import { printRecord } from "../../terminal/print.ts";

const LOOK_MS = 50; // Time between two looks at how far a refresh is, ms.
const BAR = 20; // Width of the bar in characters.
const NAMED = 4; // So many of the sources that are waited for are named.
const AGAIN = "Nothing was lost: the same command reads the sources again.";

const schemas = () => import("../../../contract/schemas/news-schemas.ts");

export const refresh = defineCommand("news refresh", {
  options: { mode: among(async () => (await schemas()).refreshQuery.shape.mode.unwrap().options) },
  async run({ mode }, context) {
    const { terminal } = context;
    const { data, sources } = await withOperations(context, undefined, async ({ run, session }) => {
      if (session === undefined) terminal.progress("waiting for the daemon, which does not say how far it is");
      const refreshed = run("refreshNews", { query: { mode } });
      if (session === undefined) return { ...(await refreshed.finally(() => terminal.progress(""))), sources: [] };
      const { news } = session.service;
      const ended = refreshed.then(Boolean, () => true);
      await longWork(context, AGAIN, async (report) => {
        while (!(await Promise.race([ended, sleep(LOOK_MS, false, { ref: false })]))) {
          report(() => showReading(news.reading()));
        }
      });
      // The API does not report the state of the sources.
      return { ...(await refreshed), sources: (await news.status()).sources };
    });
    // A source that this mode does not read, and none before did, has not failed.
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

/** How far a refresh is, as `[#####---------------] 2 of 8 sources read, waiting for Wire, Desk`. */
function showReading(reading: ReturnType<News["reading"]>): string {
  if (reading === undefined) return "refreshing the news";
  const { read, all, waiting } = reading;
  const bar = "#".repeat(Math.floor((BAR * read) / Math.max(1, all))).padEnd(BAR, "-");
  const names = [...waiting.slice(0, NAMED), ...(waiting.length > NAMED ? [`${waiting.length - NAMED} more`] : [])];
  const rest = names.length === 0 ? "publishing" : `waiting for ${names.join(", ")}`;
  return `[${bar}] ${read} of ${all} sources read, ${rest}`;
}
