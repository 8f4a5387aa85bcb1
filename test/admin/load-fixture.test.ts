import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadFixture, openFixture, type Fixture } from "../../src/admin/load-fixture.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Key } from "../../src/storage/storage.ts";
import type { Service } from "../../src/service/service.ts";
import { openLoadedService } from "../support/service.ts";

/** The first segment of a key; that of a stream is one text. */
const roomOf = (segment: Key[number]): string => (typeof segment === "object" ? segment.text : segment).split(":")[0]!;

let service: Service;
let fixture: Fixture;
/** The rooms of the storage that were read, one for each call. */
let read: string[];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "anp-fixture-"));
  await cp(resolve(import.meta.dirname, "../../fixtures/demo"), folder, { recursive: true });
  fixture = await openFixture(folder);
  read = [];
  const storage = interceptStorage(await openStorage("memory:"), (call, [room], run) => {
    if (call !== "put" && call !== "create") read.push(roomOf(room!));
    return run();
  });
  ({ service } = await openLoadedService({ storage, refresh: false }));
});
afterEach(() => service.close());

async function events(): Promise<number> {
  let count = 0;
  for await (const _line of service.events.export()) count += 1;
  return count;
}

it("reads the log of events again only where the fixture has others", async () => {
  await loadFixture(fixture, service);
  const before = await events();
  read = [];
  await loadFixture(fixture, service);
  expect(read).not.toContain("events");
  const file = join(fixture.folder, "events.ndjson");
  const [first = ""] = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, `${first}\n${JSON.stringify({ ...JSON.parse(first), event_type: "another_one" })}\n`);
  await loadFixture(fixture, service);
  expect(read).toContain("events");
  expect(await events()).toBe(before + 1);
});
