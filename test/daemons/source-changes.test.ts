import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rss } from "../news/world.ts";
import { anp, serveHere } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, "help"));
  await write("help/a.md", "# A\n\nA takes 1 day.\n");
});
afterEach(() => folder.remove());

const write = (path: string, text: string) => writeFile(join(folder.path, path), text);
const options = () => ({ cwd: folder.path });

async function start(news: object) {
  await write("anp.json", JSON.stringify({ storage: "fs:data", news }));
  return serveHere(["--config", "anp.json", "--log-level", "info"], options());
}

/** Number of entries by source, and of the snapshots. */
async function status() {
  const { stdout } = await anp(["news", "status", "--config", "anp.json", "--json"], options());
  const { sources, version } = JSON.parse(stdout) as { version: number; sources: { id: string; items: number }[] };
  return { version, counts: Object.fromEntries(sources.map(({ id, items }) => [id, items])) };
}

const shows = (counts: object) =>
  until(`the sources have ${JSON.stringify(counts)}`, async () => {
    const found = await status();
    return JSON.stringify(found.counts) === JSON.stringify(counts);
  });

describe.each([0, 300])("a daemon that refreshes every %d s and is started again", (refresh_interval_s) => {
  it("reads what has changed in its configuration and its files, and warns of what is missing", async () => {
    const help = { en: "help" };
    const first = await start({ refresh_interval_s, help });
    await shows({ "help:en": 1 });
    await first.end();

    await write("help/g.md", "# Gizmo\n\nGizmo refunds take 7 days.\n");
    const second = await start({ refresh_interval_s, help });
    await shows({ "help:en": 2 });
    await second.end();

    await write("wire.xml", rss([{ title: "One", at: Date.now() }]));
    const sources = [{ id: "wire", name: "Wire", lang: "en", url: "wire.xml" }];
    const third = await start({ refresh_interval_s, help, sources });
    await shows({ wire: 1, "help:en": 2 });
    await third.end();

    const fourth = await start({ refresh_interval_s, help: { en: "nofolder" }, sources });
    await fourth.says("the news source help:en failed");
    await fourth.end();
  });
});

it("a running daemon reads a changed help folder at its next refresh", async () => {
  const daemon = await start({ refresh_interval_s: 1, help: { en: "help" } });
  await shows({ "help:en": 1 });
  const { version } = await status();
  await write("help/g.md", "# Gizmo\n\nGizmo refunds take 7 days.\n");
  await shows({ "help:en": 2 });
  expect((await status()).version - version).toBeLessThan(11);
  await daemon.end();
});
