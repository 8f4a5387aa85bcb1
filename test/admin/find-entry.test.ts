import { expect, it } from "vitest";
import { findEntries } from "../../src/admin/search-ledgers.ts";
import { skipUsers } from "../../src/accounts/users.ts";
import { openCopiedService } from "../support/service.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

const never = (message: string): never => {
  throw new Error(message);
};

/** Bob's ledger: adjustments whose references are those given, then an answered question. */
async function openLedger(refs: (before: number) => readonly string[]) {
  const { service } = await openCopiedService(
    { fixture: "small", seed: "find", flags: { "costs.small_talk": 1 } },
    await openStorage("memory:"),
  );
  const before = (await service.ledger.open("bob")).version;
  const add = (request_id: string) =>
    service.adjust({ user: "bob", delta: 5, reason: "gift", actor: "ops", request_id }).then(({ entry }) => entry.id);
  const ids: number[] = [];
  for (const ref of refs(before)) ids.push(await add(ref));
  const find = async (id: string, user?: string) =>
    (await findEntries(service, id, () => undefined, skipUsers(never), user)).map(({ entry }) => entry.id);
  const ask = async (): Promise<string> => {
    const body = { question: "hello" };
    return String((await service.run("sendChat", { request_id: "asked", user: "bob" }, { body })).data.message_id);
  };
  return { service, before, ids, add, find, ask };
}

it("finds both entries where a number is also the reference of another entry", async () => {
  const { service, ids, find } = await openLedger((before) => ["first", String(before + 1)]);
  const [first, second] = ids as [number, number];
  expect((await find(String(first), "bob")).sort()).toEqual([first, second]);
  expect(await find(`entry:${first}`, "bob")).toEqual([first]);
  expect(await find(`entry:${second + 9}`, "bob")).toEqual([]);
  expect(await find(String(first))).toEqual([second]); // Without a user it is no number.
  expect(await find(String(second), "bob")).toEqual([second]);
  await service.close();
});

it("finds an entry by a reference of digits that no entry has as its number", async () => {
  const { service, ids, find } = await openLedger(() => ["20261201", "2026120112"]);
  expect(await find("20261201", "bob")).toEqual([ids[0]]);
  expect(await find("2026120112", "bob")).toEqual([ids[1]]);
  await service.close();
});

it("finds an entry once where its reference is its own number", async () => {
  const { service, ids, find } = await openLedger((before) => [String(before + 1)]);
  expect(await find(String(ids[0]), "bob")).toEqual(ids);
  await service.close();
});

it("finds both entries where a message id is also the reference of another entry", async () => {
  const { service, ids, add, find, ask } = await openLedger(() => ["gift"]);
  const message = await ask();
  const charge = ids[0]! + 1;
  expect(await find(message)).toEqual([charge]);
  const beginning = await add(`${message}-again`); // A beginning counts only where nothing matches as a whole.
  expect(await find(message, "bob")).toEqual([charge]);
  const same = await add(message);
  for (const user of ["bob", undefined]) expect((await find(message, user)).sort()).toEqual([charge, same]);
  expect(await find(message.slice(0, 12), "bob")).toEqual([same, beginning]);
  await service.close();
});

it("finds the entry whose reference is the message id of another user", async () => {
  const { service, ids, find, ask } = await openLedger(() => ["gift"]);
  const message = await ask();
  const posted = await service.adjust({
    ...{ user: "alice", delta: 1, reason: "gift", actor: "ops", request_id: message },
  });
  expect(await find(message, "alice")).toEqual([posted.entry.id]);
  expect(await find(message, "bob")).toEqual([ids[0]! + 1]);
  await service.close();
});
