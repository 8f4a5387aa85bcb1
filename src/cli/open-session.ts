import { fixedClock, systemClock, type Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../runtime/random.ts";
import { loadFixture, openFixture, type Fixture, type FixtureUser } from "../service/fixtures.ts";
import { loadConfig } from "../service/load-config.ts";
import { createService, type Service } from "../service/service.ts";
import { openStorage } from "../storage/open.ts";
import type { Context } from "./command.ts";
import { UsageError } from "./exit.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Opens what a command works on; see `withSession`. */
export async function openSession(
  context: Context,
  options: SessionOptions,
  defaultLogger: Logger,
): Promise<{ session: Session; close: () => Promise<void> }> {
  const { globals, env } = context;
  const fixture = globals.fixtures === undefined ? undefined : await fixtureIn(globals.fixtures);
  const file = fixture?.configFile ?? globals.config;
  const ownStorage = fixture === undefined || env["ANP_STORAGE"] !== undefined ? undefined : `fs:.anp/${fixture.name}`;
  const { config, baseDir } = await loadConfig({
    ...(file === undefined ? {} : { file }),
    env,
    flags: { storage: globals.storage ?? ownStorage, ...options.config },
  });
  options.check?.(config);
  const logger = options.logger?.(config) ?? defaultLogger;
  const clock: Clock = globals.now === undefined ? systemClock : fixedClock(globals.now);
  const random = repeatable(options.secret === true ? undefined : globals.seed);
  const mustExist = options.create !== true && fixture === undefined;
  const storage = await openStorage(config.storage, { mustExist });
  try {
    const anchor = fixture === undefined ? {} : { anchor_ms: fixture.anchor_ms };
    const service = await createService({ config, baseDir, storage, clock, random, logger, ...anchor });
    const fixtureUsers = fixture === undefined ? undefined : await loadOnce(fixture, service, options.reload === true);
    const session: Session = {
      service,
      fixtureUsers,
      async callOf(user, idempotency_key) {
        const { standing } = await service.standings.of(user);
        random.restart(`${user} ${standing.version}`);
        return {
          request_id: service.ids.request(),
          user,
          ...(idempotency_key === undefined ? {} : { idempotency_key }),
        };
      },
      anonymous: () => ({ request_id: service.ids.request() }),
    };
    return { session, close: () => service.close() };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function fixtureIn(folder: string): Promise<Fixture> {
  try {
    return await openFixture(folder);
  } catch (error) {
    throw new UsageError(`--fixtures ${folder} holds no fixture: ${(error as Error).message}`);
  }
}

/** Loads a fixture, and its news, into a storage that has not seen them. */
async function loadOnce(fixture: Fixture, service: Service, again: boolean): Promise<FixtureUser[] | undefined> {
  const known = (await service.storage.get(["fixtures", fixture.name])) !== undefined;
  const users = known && !again ? undefined : await loadFixture(fixture, service);
  // The daemon does this on its own, and a command has nothing but these news to show or to answer from.
  if (!again && (await service.news.status()).version === 0) await service.news.refresh("full");
  return users;
}

/**
 * The source of randomness. A seeded one starts again for each state of the ledger it is used on: two processes with
 * one seed would otherwise give two operations one id, and the ledger would take the second for the first.
 */
function repeatable(seed: string | undefined): Random & { restart(salt: string): void } {
  if (seed === undefined) return { ...systemRandom, restart: () => undefined };
  let random = seededRandom(seed);
  return {
    bytes: (size) => random.bytes(size),
    restart(salt) {
      random = seededRandom(`${seed} ${salt}`);
    },
  };
}
