import { beforeAll, expect, it } from "vitest";
import { createTokens, type Tokens } from "../../src/accounts/tokens.ts";
import { createUsers, type Users } from "../../src/accounts/users.ts";
import { findUsers } from "../../src/admin/find-users.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

/** The first bytes of the next token: three of them are four characters of its text. */
let first: readonly number[] = [];
let issued = 0;

let service: { readonly users: Users; readonly tokens: Tokens };

function bytes(size: number): Buffer {
  const filled = Buffer.alloc(size, ++issued);
  filled.set(first);
  return filled;
}

beforeAll(async () => {
  const storage = await openStorage("memory:");
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  service = {
    users: createUsers({ storage, clock, ttl_ms: 0 }),
    tokens: createTokens({ storage, clock, random: { bytes }, ttl_ms: 0 }),
  };
  for (const user of ["alice", "bob", "anp_idlike"]) await service.users.create(user, {});
  // Issued tokens begin with anp_AAAA twice, then with anp_AAAB.
  for (const [user, byte] of [
    ["alice", 0],
    ["alice", 0],
    ["bob", 1],
  ] as const) {
    first = [0, 0, byte];
    await service.tokens.issue(user);
  }
  await service.tokens.register("bob", "platform-token", "registered");
});

it.for([
  ["a user's id", "alice", ["alice"]],
  ["a user's id that looks like a token", "anp_idlike", ["anp_idlike"]],
  ["a whole token of any kind", "platform-token", ["bob"]],
  ["the beginning of one user's tokens", "anp_AAAA", ["alice"]],
] as const)("finds a user by %s", async ([, text, users]) => {
  expect(await findUsers(service, text)).toEqual(users);
});

it("finds every user whose tokens have the same beginning", async () => {
  first = [0, 0, 0];
  await service.tokens.issue("bob");
  expect(await findUsers(service, "anp_AAAA")).toEqual(["alice", "bob"]);
});

it("says how much of a cut token was compared, and takes a whole one only if it is right", async () => {
  first = [9, 9, 9];
  const { secret } = await service.tokens.issue("alice");
  const cuts: number[] = [];
  const find = (text: string) => findUsers(service, text, (compared) => cuts.push(compared));
  for (const text of [secret, secret.slice(0, 12)]) expect(await find(text)).toEqual(["alice"]);
  expect(cuts).toEqual([]);
  for (const length of [13, 46]) expect(await find(`${secret.slice(0, length - 1)}_`)).toEqual(["alice"]);
  expect(cuts).toEqual([12, 12]);
  for (const wrong of [`${secret}x`, `${secret.slice(0, 46)}_`])
    await expect(find(wrong)).rejects.toThrow("begins as a token of alice, but is not it");
});

it.for([
  ["carol", "User carol is not known."],
  ["anp_AAA", "the beginning of a token needs 8 characters"],
  ["anp_ZZZZ", "or a token that begins like this"],
] as const)("refuses %s", async ([text, message]) => {
  await expect(findUsers(service, text)).rejects.toThrow(message);
});
