import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import type { AssistantJobs } from "../../src/assistant/jobs/assistant-jobs.ts";
import type { JobRunner } from "../../src/compute/job-runner.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { createService } from "../../src/service/service.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "./folder.ts";
import { ANCHOR } from "./service.ts";

/** A service on mere headlines, a feed of each list, published an hour ago and not yet read, with the user bob. */
export async function openHeadlines(
  lang: "en" | "zh",
  feeds: readonly (readonly string[])[],
  assistant: JobRunner<AssistantJobs> = assistantInProcess(),
) {
  const folder = await temporaryFolder();
  const date_published = new Date(ANCHOR - 3_600_000).toISOString();
  const write = async (n: number, titles: readonly string[]): Promise<void> => {
    const items = titles.map((title) => ({ title, date_published }));
    await writeFile(join(folder.path, `f${n}.json`), JSON.stringify({ items }));
  };
  await Promise.all(feeds.map((titles, n) => write(n, titles)));
  const sources = feeds.map((_, n) => ({ id: `f${n}`, name: `F${n}`, lang, url: `f${n}.json` }));
  const file = join(folder.path, "anp.json");
  await writeFile(file, JSON.stringify({ news: { sources } }));
  const { config, baseDir } = await loadConfig({ file, env: {}, flags: {} });
  const [storage, clock] = [await openStorage("memory:"), fixedClock(ANCHOR)];
  await createUsers({ storage, clock, ttl_ms: 0 }).create("bob", { free_daily_quota: 7 });
  const service = await createService({
    ...{ config, baseDir, storage, clock },
    ...{ random: seededRandom("x"), logger: silentLogger, runners: { assistant } },
  });
  return {
    service,
    write,
    close: async (): Promise<void> => {
      await service.close();
      await folder.remove();
    },
  };
}
