import { expect, it } from "vitest";
import { createTokens, type Tokens } from "../../src/accounts/tokens.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
const open = (storage: Storage, ttl_ms = 1000): Tokens =>
  createTokens({ storage, clock, random: systemRandom, ttl_ms });

it("issues a secret of 256 bits that identifies its user, and keeps only its hash", async () => {
  const storage = await openStorage("memory:");
  const written: string[] = [];
  const tokens = open({
    ...storage,
    create: (key, value) => {
      written.push(JSON.stringify(key), value);
      return storage.create(key, value);
    },
  });
  const { secret } = await tokens.issue("alice", { label: "phone" });
  expect(secret).toMatch(/^anp_[\w-]{43}$/);
  expect(await tokens.resolve(secret)).toBe("alice");
  expect(await tokens.resolve(`${secret}x`)).toBeUndefined();
  expect(written.join()).not.toContain(secret);
  expect((await tokens.issue("alice")).secret).not.toBe(secret);
});

it("refuses a revoked token at once where it was revoked, and elsewhere once what is remembered has gone", async () => {
  const storage = await openStorage("memory:");
  const here = open(storage);
  const fresh = open(storage, 0);
  const { secret, record } = await here.issue("alice");
  expect(await here.resolve(secret)).toBe("alice");
  expect(await fresh.resolve(secret)).toBe("alice");
  expect(await here.revoke(record.id)).toMatchObject({ id: record.id, revoked_at: "2026-11-20T00:00:00.000Z" });
  expect(await here.resolve(secret)).toBeUndefined();
  expect(await fresh.resolve(secret)).toBeUndefined();
});

it("revokes by the token itself too, keeps the first time of a second revocation, and knows no stranger", async () => {
  const tokens = open(await openStorage("memory:"));
  const { secret } = await tokens.issue("alice");
  const first = await tokens.revoke(secret);
  clock.advance(5000);
  expect(await tokens.revoke(secret)).toEqual(first);
  expect(await tokens.revoke("0123456789abcdef")).toBeUndefined();
  expect(await tokens.revoke("nobody")).toBeUndefined();
});

it("lets a token expire on the clock", async () => {
  const tokens = open(await openStorage("memory:"));
  const { secret } = await tokens.issue("alice", { expires_at: clock.now() + 1000 });
  expect(await tokens.resolve(secret)).toBe("alice");
  clock.advance(1000);
  expect(await tokens.resolve(secret)).toBeUndefined();
});

it("lists a user's tokens and nobody else's", async () => {
  const tokens = open(await openStorage("memory:"));
  const first = await tokens.issue("alice", { label: "a" });
  clock.advance(1);
  const second = await tokens.issue("alice", { label: "b" });
  await tokens.issue("bob");
  expect((await tokens.list("alice")).map(({ id }) => id)).toEqual([first.record.id, second.record.id]);
  expect(await tokens.list("carol")).toEqual([]);
});

it("finds tokens by what they begin with, of which it keeps 12 characters, and none of those it did not make", async () => {
  const storage = await openStorage("memory:");
  const tokens = open(storage);
  const issued = await Promise.all(["alice", "alice", "bob"].map((user) => tokens.issue(user)));
  await tokens.register("carol", "anp_known-beforehand", "fixture");
  const [{ secret, record }] = issued as [(typeof issued)[0]];
  expect(record.start).toBe(secret.slice(0, 12));
  expect(await tokens.startingWith(secret.slice(0, 9))).toEqual([record]);
  expect(await tokens.startingWith(secret)).toEqual([record]);
  expect(await tokens.startingWith("anp_")).toHaveLength(3);
  await tokens.revoke(record.id);
  expect(await tokens.startingWith(secret.slice(0, 9))).toMatchObject([
    { user_id: "alice", revoked_at: expect.any(String) as string },
  ]);
  expect(await tokens.find(secret)).toMatchObject({ id: record.id });
  expect(await tokens.find("0123456789abcdef")).toBeUndefined();
});

it("reads an unknown token once while it is remembered as absent, and finds one that is added meanwhile", async () => {
  const storage = watchedStorage(await openStorage("memory:"), () => "pass");
  const tokens = open(storage, 2000);
  for (let n = 0; n < 5; n++) expect(await tokens.resolve("later")).toBeUndefined();
  expect(storage.calls).toHaveLength(1);
  const early = tokens.resolve("other");
  await tokens.register("alice", "other", "fixture");
  await early;
  await tokens.register("alice", "later", "fixture");
  for (const secret of ["later", "other"]) expect(await tokens.resolve(secret)).toBe("alice");
  const without = open(storage, 0);
  const before = storage.calls.length;
  for (let n = 0; n < 3; n++) expect(await without.resolve("never")).toBeUndefined();
  expect(storage.calls.length - before).toBe(3);
});
