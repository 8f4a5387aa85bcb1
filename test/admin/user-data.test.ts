import { copyFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import { eraseUser, exportUser } from "../../src/admin/user-data.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import type { Service } from "../../src/service/service.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { bytesOf, CANARIES, plantCanaries } from "../support/canaries.ts";
import { ANCHOR, openCopiedService } from "../support/service.ts";

const about = { actor: "ops", reason: "asked by mail", settled: () => Promise.resolve() };

async function expectErased(service: Service, bytes: () => Promise<string>, words: readonly string[]): Promise<void> {
  const stored = await bytes();
  expect(words.filter((word) => stored.includes(word))).toEqual([]);
  expect(stored).toContain("bobs_event");
  const found = [];
  for await (const { user_id: user, damage } of verifyLedgers(service.storage))
    if (damage !== undefined) found.push([user, damage]);
  expect([...found, ...(await findDamagedValues(service.storage))]).toEqual([]);
  const { profile, ledger, questions, events, tokens } = await exportUser(service, "alice");
  expect(profile?.erased).toMatchObject({ actor: "ops", reason: "asked by mail", complete: true });
  // Before its first entry, as it was.
  expect(profile!.created_at <= ledger[0]!.created_at).toBe(true);
  expect([questions.every(({ question }) => question === ""), events, tokens]).toEqual([true, [], []]);
  expect(ledger.length).toBeGreaterThan(CANARIES / 3);
}

it("leaves none of a user's words in the files, wherever it was interrupted, and the ledgers clean", async () => {
  const folder = await temporaryFolder();
  try {
    const storage = await openStorage(`fs:${folder.path}`);
    const { service, words } = await plantCanaries(storage);
    const everything = JSON.stringify(await exportUser(service, "alice"));
    expect(words.filter((word) => !everything.includes(word))).toEqual([]);
    // In a copied folder, the second name of a log's end is a file of its own.
    const end = join(folder.path, "events/2026-11-20/0/.last");
    await copyFile(end, `${end}.copy`);
    await rename(`${end}.copy`, end);
    let done = false;
    for (let bound = 1; !done; bound += 2) {
      let writes = 0;
      const dying = interceptStorage(storage, (verb, _key, run) => {
        if ((verb === "put" || verb === "remove") && ++writes > bound) return Promise.reject(new Error("killed"));
        return run();
      });
      const ended = eraseUser({ ...service, storage: dying }, "alice", about, () => undefined);
      done = await ended.then(
        () => true,
        () => false,
      );
      for (const { user, message } of await findDamagedValues(storage))
        expect([user, message]).toEqual([
          "alice",
          expect.stringMatching(/^the erasure that began on .* was cut off: run/),
        ]);
    }
    await expectErased(service, () => bytesOf(folder.path), words);
    // Another process goes on with the log whose end was erased.
    const { service: next } = await openCopiedService(
      { fixture: "small", seed: "go on", now: ANCHOR + 86_400_000 },
      await openStorage(storage.url),
    );
    const body = { event_type: "page_view" };
    const recorded = await next.run("recordEvent", { request_id: "n", user: "bob" }, { body });
    expect(recorded.data).toMatchObject({ stored: true });
    await next.close();
  } finally {
    await folder.remove();
  }
});

it.skipIf(noRedis !== undefined)("leaves none of a user's words in the dump of a Redis", async () => {
  const redis = await startRedis({ config: { rdbcompression: "no" } });
  try {
    const { service, words } = await plantCanaries(await openStorage(redis.url()));
    const bytes = async (): Promise<string> => {
      await redis.command("save");
      return bytesOf(redis.folder);
    };
    const before = await bytes();
    expect(words.filter((word) => !before.includes(word))).toEqual([]);
    const { erased } = await eraseUser(service, "alice", about, () => undefined);
    expect(erased).toMatchObject({ tokens: 17, answers: 17, events: 36 });
    await expectErased(service, bytes, words);
    await service.close();
  } finally {
    await redis.stop();
  }
});
