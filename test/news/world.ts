import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fixedClock } from "../../src/runtime/clock.ts";
import type { Logger } from "../../src/runtime/logger.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { newsConfig } from "../../src/config/news-config.ts";
import { createNews, type News, type NewsDeps } from "../../src/news/news.ts";
import { temporaryFolder } from "../support/folder.ts";

export const NOON = Date.parse("2026-11-20T12:00:00Z");
export const HOUR = 3_600_000;

export interface Story {
  readonly title: string;
  readonly summary?: string;
  readonly link?: string;
  readonly guid?: string;
  /** Milliseconds since the epoch; no date when absent. */
  readonly at?: number;
}

/** An RSS feed of the stories. */
export function rss(stories: readonly Story[]): string {
  const items = stories.map(({ title, summary = "", link, guid, at }) => {
    const fields = [`<title><![CDATA[${title}]]></title>`, `<description><![CDATA[${summary}]]></description>`];
    if (link !== undefined) fields.push(`<link>${link.replaceAll("&", "&amp;")}</link>`);
    if (guid !== undefined) fields.push(`<guid isPermaLink="false">${guid}</guid>`);
    if (at !== undefined) fields.push(`<pubDate>${new Date(at).toUTCString()}</pubDate>`);
    return `<item>${fields.join("")}</item>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>t</title>${items.join("")}</channel></rss>`;
}

/** A folder of sources, a clock that is set by hand, and news rooms on one storage. */
export interface World {
  readonly folder: string;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly storage: Storage;
  readonly log: { level: string; fields: object; message: string }[];
  write(path: string, content: string | Uint8Array): Promise<void>;
  news(config: unknown, more?: Partial<NewsDeps>): News;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const { path: folder, remove } = await temporaryFolder();
  const clock = fixedClock(NOON);
  const storage = await openStorage("memory:");
  const log: World["log"] = [];
  const note =
    (level: string) =>
    (fields: object, message: string): void => {
      log.push({ level, fields, message });
    };
  const logger: Logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  return {
    folder,
    clock,
    storage,
    log,
    async write(path, content) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    },
    news: (config, more = {}) =>
      createNews({ config: newsConfig.parse(config), baseDir: folder, storage, clock, logger, ...more }),
    async close() {
      await storage.close();
      await remove();
    },
  };
}
