import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, inject } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { collect, openEvents } from "./open-events.ts";

const demo = join(import.meta.dirname, "../../fixtures/demo/events.ndjson");
const program = join(inject("processes"), "recording-process.js");

/** Runs a process that records `count` events. Killed once it has acknowledged `killAfter`. Gives what it acknowledged. */
async function recordInProcess(folder: string, name: string, count: number, killAfter: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, folder, name, String(count), demo], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = "";
  child.stdout.on("data", (chunk: Buffer) => {
    acknowledged += chunk.toString();
    if (acknowledged.split("\n").length > killAfter) child.kill("SIGKILL");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(killAfter === Infinity ? 0 : null);
  return acknowledged.split("\n").slice(0, -1);
}

it("keeps every acknowledged event of several processes, one of them killed, and replays a file once", async () => {
  const folder = await temporaryFolder();
  const acknowledged = await Promise.all([
    recordInProcess(folder.path, "one", 200, Infinity),
    recordInProcess(folder.path, "two", 200, Infinity),
    recordInProcess(folder.path, "killed", 1_000_000, 50),
  ]);
  expect(acknowledged.slice(0, 2).map((lines) => lines.length)).toEqual([200, 200]);
  const { events } = openEvents(await openStorage(`fs:${folder.path}`));
  const exported = (await collect(events.export())).map(
    (line) => JSON.parse(line) as { event_id: string; user_id: string },
  );
  const users = new Map(exported.map(({ event_id, user_id }) => [event_id, user_id]));
  expect(users.size).toBe(exported.length);
  for (const line of acknowledged.flat()) {
    const { event_id, user_id } = JSON.parse(line) as { event_id: string; user_id: string };
    expect(users.get(event_id)).toBe(user_id);
  }
  const live = exported.map(({ user_id }) => user_id).filter((user) => /^(one|two|killed) /.test(user));
  expect(new Set(live).size).toBe(live.length);
  expect(exported.filter(({ event_id }) => event_id.startsWith("demo-"))).toHaveLength(200);
  await folder.remove();
});
