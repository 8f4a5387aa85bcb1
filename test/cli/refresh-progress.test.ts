import { EventEmitter } from "node:events";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serve, type TestServer } from "../news/server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, anpInTerminal, serveHere } from "./anp.ts";

const RSS = "<rss><channel><item><title>Ferries return to the bay</title></item></channel></rss>";
const PATIENT = { timeout: 30_000 };
const REFRESH = ["news", "refresh", "--config", "anp.yaml"];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: TestServer;
let held: ServerResponse[];
let isReleased: boolean;
beforeEach(async () => {
  folder = await temporaryFolder();
  held = [];
  isReleased = false;
  server = await serve(({ url }, response) => {
    if (url === "/slow" && !isReleased) held.push(response);
    else response.writeHead(url === "/gone" ? 404 : 200).end(RSS);
  });
  const sources = ["wire", "gone", "slow"].map(
    (id) => `{ id: ${id}, name: "The ${id} 快讯", lang: en, url: "${server.url}/${id}", allow_private: true }`,
  );
  await writeFile(join(folder.path, "anp.yaml"), `storage: fs:data\nnews: { sources: [${sources.join(", ")}] }\n`);
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

/** Lets the slow source end, also where it is asked only now. */
function release(): void {
  isReleased = true;
  for (const response of held.splice(0)) response.end(RSS);
}
const linesOf = (screen: string): string[] => screen.split(/\r\u001b\[2K|\n/);

it("shows the names of the sources that it waits for, and clears it", async () => {
  const shown = "2 of 3 sources read, waiting for The slow 快讯";
  const { code, screen } = await anpInTerminal(REFRESH, {
    cwd: folder.path,
    onScreen: (text) => text.includes(shown) && release(),
  });
  expect([code, linesOf(screen)]).toEqual([8, expect.arrayContaining([shown, "error: 1 of 3 sources failed."])]);
  // What is logged meanwhile has a line of its own.
  expect(linesOf(screen)).toContain("warning: the news source gone failed");
});

it("cuts the line to the width of the terminal, by columns", async () => {
  const { screen } = await anpInTerminal(REFRESH, {
    cwd: folder.path,
    columns: 45,
    onScreen: (text) => text.includes("2 of 3") && release(),
  });
  // 44 columns: the last one of the terminal stays free.
  expect(linesOf(screen)).toContain("2 of 3 sources read, waiting for The slow …");
});

it("shows none in a pipe, nor with --quiet", async () => {
  for (const start of [
    async () => (await anp([...REFRESH, "--json"], { cwd: folder.path })).stderr,
    async () => (await anpInTerminal([...REFRESH, "--quiet"], { cwd: folder.path })).screen,
  ]) {
    isReleased = false;
    const shown = start();
    await expect.poll(() => held.length, PATIENT).toBe(1);
    release();
    expect(await shown).not.toMatch(/sources read|\u001b\[2K/);
  }
});

it("ends at Ctrl-C, and says how far it was; the next refresh need not wait", async () => {
  const signals = new EventEmitter();
  const { code, screen } = await anpInTerminal(REFRESH, {
    cwd: folder.path,
    signals,
    onScreen: (text) => text.includes("2 of 3") && signals.emit("SIGINT", "SIGINT"),
  });
  expect([code, screen]).toEqual([130, expect.stringContaining("Interrupted: 2 of 3")]);
  const again = anp(REFRESH, { cwd: folder.path });
  await expect.poll(() => held.length, PATIENT).toBe(2);
  release();
  expect((await again).code).toBe(8);
});

it("says of a daemon that it does not say how far it is", async () => {
  await anp(["users", "create", "ann", "--config", "anp.yaml"], { cwd: folder.path });
  const token = await anp(["tokens", "issue", "ann", "--config", "anp.yaml", "--json"], { cwd: folder.path });
  const daemon = await serveHere(["--config", "anp.yaml"], {
    cwd: folder.path,
    env: { ANP_NEWS_REFRESH_INTERVAL_S: "0", ANP_NEWS_MIN_INTERVAL_MS: "0" },
  });
  const { screen } = await anpInTerminal(["news", "refresh", "--url", daemon.url], {
    cwd: folder.path,
    env: { ANP_TOKEN: (JSON.parse(token.stdout) as { token: string }).token },
    onScreen: (text) => text.includes("does not say") && release(),
  });
  expect(linesOf(screen)).toContain("waiting for the daemon, which does not say how far it is");
  await daemon.end();
});
