import { beforeAll, expect, it } from "vitest";
import { exportLedger } from "../../src/backup/export-ledgers.ts";
import { collect } from "../../src/runtime/batches.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { fillLedgers, openLedger, USERS } from "../support/ledgers.ts";

const ENTRIES = 300;

let storage: Storage;

beforeAll(async () => {
  storage = await openStorage("memory:");
  await fillLedgers(storage, ENTRIES);
});

async function exported(users: readonly string[]): Promise<Record<string, unknown>[]> {
  const lines = await Promise.all(users.map((user) => collect(exportLedger(storage, user))));
  return lines.flat().map((line) => (typeof line === "string" ? JSON.parse(line) : line) as Record<string, unknown>);
}

it("prints each user's entries as they are stored, and ends with the user and the last hash", async () => {
  const lines = await exported(USERS);
  for (const user_id of USERS) {
    const entries = await collect(openLedger(storage).entries(user_id));
    expect(lines.filter((line) => line["user_id"] === user_id)).toEqual(entries);
    const [end] = lines.filter(({ user }) => (user as { user_id: string } | undefined)?.user_id === user_id);
    expect(end).toMatchObject({ subscription: { plan: "pro" }, entries: ENTRIES, head: entries.at(-1)!.hash });
  }
});

it("prints each charged answer before its entry", async () => {
  const seen = new Set<unknown>();
  for (const { answer, details } of await exported(["alice"])) {
    if (answer !== undefined) seen.add((answer as { message_id: number }).message_id);
    const { type, message_id } = (details ?? {}) as Record<string, unknown>;
    if (type === "chat_cost") expect(seen).toContain(message_id);
  }
  expect(seen.size).toBe(ENTRIES / 3);
});

it("refuses a user who is not known", async () => {
  await expect(exported(["nobody"])).rejects.toThrow("User nobody is not known.");
});
