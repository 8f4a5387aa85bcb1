import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { readDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";
import type { Service } from "../service/service.ts";
import { language } from "../contract/schemas/shared-fields.ts";

const fixtureFile = z.object({ name: z.string(), anchor: z.iso.datetime(), description: z.string() });

const usersFile = z.object({
  users: z.array(
    z.strictObject({
      user_id: z.string(),
      token: z.string(),
      free_daily_quota: z.int().min(0),
      points: z.int().min(0),
      plan: z.string(),
      lang: language,
    }),
  ),
});

const loadMark = z.strictObject({ moved_by_ms: z.int() });

/** A fixture: a folder of sample data, written for one instant, its anchor. */
export interface Fixture {
  readonly folder: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly anchor_ms: number;
  readonly configFile: string;
}

/** A user of a fixture, with a token that is valid only where the fixture was loaded. */
export interface FixtureUser {
  readonly user_id: string;
  readonly token: string;
}

export async function openFixture(folder: string): Promise<Fixture> {
  const { name, anchor } = fixtureFile.parse(JSON.parse(await readFile(join(folder, "fixture.json"), "utf8")));
  return { folder, name, anchor_ms: Date.parse(anchor), configFile: join(folder, "config.yaml") };
}

/** Whether the fixture was loaded into the storage, at least in part. */
export async function isLoaded({ name }: Fixture, storage: Storage): Promise<boolean> {
  return (await storage.get(["fixtures", name])) !== undefined;
}

/** Loads a fixture's users, tokens, points and events. Idempotent, also between processes; the first dates the events. */
export async function loadFixture(fixture: Fixture, service: Service): Promise<FixtureUser[]> {
  const { storage, clock } = service;
  const { users } = usersFile.parse(JSON.parse(await readFile(join(fixture.folder, "users.json"), "utf8")));
  for (const user of users) {
    const { user_id, token, free_daily_quota, points, plan, lang } = user;
    await service.users.create(user_id, { free_daily_quota, lang });
    await service.tokens.register(user_id, token, `fixture ${fixture.name}`);
    if (plan !== "free") await service.subscriptions.begin(user_id, plan, { started_at: clock.now() });
    if (points > 0) {
      const [reason, request_id] = [`fixture ${fixture.name}`, `fixture-${fixture.name}`];
      const change = { user: user_id, delta: points, reason, actor: "anp", request_id };
      await service.adjust({ ...change, idempotency_key: request_id });
    }
  }
  await service.events.replay(movedLines(fixture, await movedBy(fixture, storage, clock.now())));
  return users;
}

/** The offset in ms that dates of this storage's copy are moved by. The first process that loads it decides. */
async function movedBy(fixture: Fixture, storage: Storage, now: number): Promise<number> {
  const key: Key = ["fixtures", fixture.name];
  const mark = { moved_by_ms: Math.max(0, now - fixture.anchor_ms) };
  if (await storage.create(key, JSON.stringify(mark))) return mark.moved_by_ms;
  return (await readDocument(storage, key, loadMark))!.moved_by_ms;
}

async function* movedLines(fixture: Fixture, by: number): AsyncGenerator<string> {
  const input = createReadStream(join(fixture.folder, "events.ndjson"));
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const event = z.looseObject({ created_at: z.iso.datetime({ offset: true }) }).parse(JSON.parse(line));
    yield JSON.stringify({ ...event, created_at: new Date(Date.parse(event.created_at) + by).toISOString() });
  }
}
