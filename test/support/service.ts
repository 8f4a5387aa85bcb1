import { resolve } from "node:path";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger, type Logger } from "../../src/runtime/logger.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { loadFixture, openFixture, type Fixture } from "../../src/admin/load-fixture.ts";
import { loadConfig, type ConfigValues } from "../../src/config/load-config.ts";
import { sharedRunners } from "./shared-runners.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";

/** The anchor of the demo: with the clock there, nothing in it moves. */
export const ANCHOR = Date.parse("2026-11-20T00:00:00Z");

/** A service on a fixture of the repository, with its clock. */
export interface FixtureService {
  readonly service: Service;
  readonly clock: ReturnType<typeof fixedClock>;
}

interface FixtureServiceOptions {
  /** The demo when left out; `small` has its users on next to no content. */
  readonly fixture?: string;
  readonly storage?: Storage;
  readonly now?: number;
  readonly flags?: ConfigValues;
  readonly seed?: string;
  readonly logger?: Logger;
  /** Whether to bring in news, notices and help articles; on by default. */
  readonly refresh?: boolean;
  /** What puts the service together. */
  readonly create?: typeof createService;
}

/** The folder of a fixture: of the program, or of the tests alone. */
function folderOf(fixture: string): string {
  return resolve(import.meta.dirname, fixture === "small" ? "../data" : "../../fixtures", fixture);
}

/** A busy machine does not make the service refuse what it would take too long for. */
const UNHURRIED: ConfigValues = { "limits.wait_ms": 0 };

/** Most tests ask about the same content, whose index takes longer than they do. */
const openRunners = sharedRunners();

/** What a loaded fixture stored in memory, by fixture, time and such flags: loading takes longer than most tests. */
const loaded = new Map<string, Promise<readonly (readonly [Key, string])[]>>();

/** A service with a fixture loaded, on memory unless a storage is given: copied to an empty one. */
export async function openFixtureService(options: FixtureServiceOptions = {}): Promise<FixtureService> {
  const { storage = await openStorage("memory:") } = options;
  return (await isEmpty(storage)) ? openCopiedService(options, storage) : openLoadedService(options);
}

async function isEmpty(storage: Storage): Promise<boolean> {
  for await (const _ of storage.keys([])) return false;
  return true;
}

/** Groups of the configuration that change nothing of what a fixture stores. */
const NOT_STORED = /^(?:auth|limits|model|server)\./;

/** As `openFixtureService`, on an empty storage: what the fixture stores is loaded once a process, then copied. */
export async function openCopiedService(options: FixtureServiceOptions, storage: Storage): Promise<FixtureService> {
  const { fixture = "demo", now = ANCHOR, seed = "test", refresh = true } = options;
  const flags = Object.fromEntries(Object.entries(options.flags ?? {}).filter(([key]) => !NOT_STORED.test(key)));
  const name = JSON.stringify([fixture, now, flags, refresh]);
  const values =
    loaded.get(name) ??
    openLoadedService({ fixture, now, flags, refresh }).then(({ service }) => valuesOf(service.storage));
  loaded.set(name, values);
  await Promise.all((await values).map(([key, value]) => storage.put(key, value)));
  // Other ids than those of the load, which are stored already.
  return open({ ...options, storage, seed: `${seed} loaded` });
}

/** As `openFixtureService`, but it loads the fixture itself: for what loading does. */
export async function openLoadedService(options: FixtureServiceOptions): Promise<FixtureService> {
  const opened = await open(options);
  await loadFixture(opened.fixture, opened.service);
  if (options.refresh ?? true) await opened.service.news.refresh("full");
  return opened;
}

async function open(options: FixtureServiceOptions): Promise<FixtureService & { readonly fixture: Fixture }> {
  const fixture = await openFixture(folderOf(options.fixture ?? "demo"));
  const { config, baseDir } = await loadConfig({
    file: fixture.configFile,
    env: {},
    flags: { ...UNHURRIED, ...options.flags },
  });
  const clock = fixedClock(options.now ?? ANCHOR);
  const service = await (options.create ?? createService)({
    config,
    baseDir,
    storage: options.storage ?? (await openStorage("memory:")),
    clock,
    random: seededRandom(options.seed ?? "test"),
    logger: options.logger ?? silentLogger,
    anchor_ms: fixture.anchor_ms,
    runners: openRunners(),
  });
  return { service, clock, fixture };
}

async function valuesOf(storage: Storage): Promise<[Key, string][]> {
  const values: [Key, string][] = [];
  for await (const key of storage.keys([])) values.push([key, (await storage.get(key))!]);
  await storage.close();
  return values;
}
