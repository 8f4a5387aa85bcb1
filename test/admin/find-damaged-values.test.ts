import { beforeEach, expect, it } from "vitest";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import type { Service } from "../../src/service/service.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";
import { openFixtureService } from "../support/service.ts";

let service: Service;
let storage: Storage;
let session: string;
let answer: Key;

async function found(user?: string): Promise<[string | undefined, string][]> {
  const all: [string | undefined, string][] = [];
  for (const { user: owner, message } of await findDamagedValues(storage, user)) all.push([owner, message]);
  return all;
}

async function ask(question: string): Promise<void> {
  const call = { request_id: question, user: "alice" };
  const { data } = await service.run("sendChat", call, {
    body: { question, ...(session === "" ? {} : { session_id: Number(session) }) },
  });
  session = String(data.session_id);
  answer = ["messages", String(data.message_id)];
}

beforeEach(async () => {
  session = "";
  ({ service } = await openFixtureService());
  ({ storage } = service);
  for (const question of ["How do I deposit?", "What are the fees?", "How do I withdraw?"]) await ask(question);
  await service.settled();
});

it("finds nothing wrong with what the service wrote", async () => {
  expect(await found()).toEqual([]);
  expect(await found("alice")).toEqual([]);
});

it("names what is damaged or missing beside the ledgers, with whose it is", async () => {
  const turns: Key = ["users", "alice", "sessions", session];
  const token = (await firstBelow(["tokens"]))!;
  const day = (await firstBelow(["events"]))!;
  const damages: readonly [Key, string | undefined, string | undefined, string][] = [
    [["users", "carol", "subscription"], "{", "carol", "users/carol/subscription"],
    [[...turns, "0", "2"], undefined, "alice", `users/alice/sessions/${session}/0/2`],
    [[...turns, "0", "1"], undefined, "alice", `users/alice/sessions/${session}/0/1`],
    [[...turns, "0", "1"], '{"message_id":"x"}', "alice", `users/alice/sessions/${session}/0/1`],
    [turns, '{"message_id":"x"}', "alice", `users/alice/sessions/${session}`],
    [answer, undefined, "alice", `messages/${answer[1] as string}`],
    [answer, undefined, "alice", "the answer is missing, which users/alice/ledger/0/3 charged for"],
    [answer, "[]", "alice", `messages/${answer[1] as string}`],
    [token, "{}", undefined, `tokens/${token[1] as string}`],
    [[...day, "0", "1"], "{", undefined, `events/${day[1] as string}/0/1`],
  ];
  for (const [key, value, user, named] of damages) {
    const before = (await storage.get(key))!;
    expect(before, named).toBeDefined();
    await (value === undefined ? storage.remove(key) : storage.put(key, value));
    const all = await found();
    expect(all, named).toEqual([[user, expect.stringContaining(named)]]);
    expect(await found("alice")).toEqual(user === "alice" ? all : []);
    await storage.put(key, before);
  }
  expect(await found()).toEqual([]);
});

async function firstBelow(prefix: Key): Promise<Key | undefined> {
  for await (const segment of storage.children(prefix)) return [...prefix, segment.text];
  return undefined;
}
