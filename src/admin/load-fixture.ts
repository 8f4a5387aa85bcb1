import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { readDocument } from "../storage/documents.ts";
import { IDENTITY } from "../storage/identity/storage-identity.ts";
import type { Key, Storage } from "../storage/storage.ts";
import type { Service } from "../service/service.ts";
import { count, language } from "../contract/schemas/shared-fields.ts";

const fixtureFile = z.object({ name: z.string(), anchor: z.iso.datetime(), description: z.string() });
const names = { user_id: z.string(), token: z.string(), plan: z.string() };
const fixtureUser = z.strictObject({ ...names, free_daily_quota: count, points: count, lang: language });
const usersFile = z.object({ users: z.array(fixtureUser) });
const loadMark = z.strictObject({ moved_by_ms: z.int() });
const datedEvent = z.looseObject({ created_at: z.iso.datetime({ offset: true }) });
/** A fixture: a folder of sample data, written for one instant, its anchor (ms since the epoch). */
export type Fixture = Readonly<Awaited<ReturnType<typeof openFixture>>>;
/** A user of a fixture, with a token that is valid only where the fixture was loaded. */
export type FixtureUser = Readonly<Pick<z.infer<typeof fixtureUser>, "user_id" | "token">>;

export async function openFixture(folder: string) {
  const { name, anchor } = fixtureFile.parse(JSON.parse(await readFile(join(folder, "fixture.json"), "utf8")));
  return { folder, name, anchor_ms: Date.parse(anchor), configFile: join(folder, "config.yaml") };
}

const eventsKey = ({ name }: Fixture): Key => ["fixtures", `${name}-events`]; // It is written last.

export const isLoaded = (fixture: Fixture, storage: Storage): Promise<boolean> => storage.has(eventsKey(fixture));

/** Whether a storage without the fixture has other data: its tokens, which are public, must not become valid there. */
export async function hasOtherData({ name }: Fixture, storage: Storage): Promise<boolean> {
  for await (const [room] of storage.keys([])) {
    // Looked up after the key was found: another process may be loading the fixture now.
    if (room!.text !== IDENTITY[0]) return !(await storage.has(["fixtures", name]));
  }
  return false;
}

type FigureChanges = { readonly free_daily_quota?: number | undefined; readonly points?: number | undefined };

export const fixtureUsers = async ({ folder }: Fixture) =>
  usersFile.parse(JSON.parse(await readFile(join(folder, "users.json"), "utf8"))).users;

/** Loads a fixture's users, tokens, points and events. Idempotent, also between processes; the first dates the events. */
export async function loadFixture(fixture: Fixture, service: Service, changes: Record<string, FigureChanges> = {}) {
  const { storage, clock } = service;
  const users = await fixtureUsers(fixture);
  for (const user of users) {
    const { user_id, token, plan, lang } = user;
    const { free_daily_quota = user.free_daily_quota, points = user.points } = changes[user_id] ?? {};
    await service.users.create(user_id, { free_daily_quota, lang });
    await service.tokens.register(user_id, token, `fixture ${fixture.name}`);
    if (plan !== "free") await service.subscriptions.begin(user_id, plan);
    if (points > 0) {
      const [reason, request_id] = [`fixture ${fixture.name}`, `fixture-${fixture.name}`];
      const change = { user: user_id, delta: points, reason, actor: "anp", request_id };
      await service.adjust({ ...change, idempotency_key: request_id });
    }
  }
  const moved_by_ms = await dateOffset(fixture, storage, clock.now());
  const events = await readFile(join(fixture.folder, "events.ndjson"), "utf8");
  const [key, mark] = [eventsKey(fixture), JSON.stringify(sha256(events))];
  // A replay that finds all events in the log would be a large part of a daemon's start.
  if ((await storage.get(key)) !== mark) {
    await service.events.replay(movedLines(events, moved_by_ms));
    await storage.put(key, mark);
  }
  return users;
}

/** The offset in ms that dates of this storage's copy are moved by. The first process that loads it decides,
 * before it writes anything else: a load that was killed is no data of others. */
export async function dateOffset(fixture: Fixture, storage: Storage, now: number): Promise<number> {
  const key: Key = ["fixtures", fixture.name];
  const mark = { moved_by_ms: Math.max(0, now - fixture.anchor_ms) };
  if (await storage.create(key, JSON.stringify(mark))) return mark.moved_by_ms;
  return (await readDocument(storage, key, loadMark))!.moved_by_ms;
}

function* movedLines(events: string, by: number): Generator<string> {
  for (const line of events.split("\n").filter((one) => one.trim() !== "")) {
    const event = datedEvent.parse(JSON.parse(line));
    yield JSON.stringify({ ...event, created_at: new Date(Date.parse(event.created_at) + by).toISOString() });
  }
}
