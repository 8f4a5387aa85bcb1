import type { Logger } from "../../runtime/logger.ts";
import { isLoaded, loadFixture, type Fixture, type FixtureUser } from "../../admin/load-fixture.ts";
import { createService, type Service } from "../../service/service.ts";
import type { Context } from "../framework/command-context.ts";
import { callsOf, openGround, type Ground } from "./open-ground.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Opens what a command works on; see `withSession`. */
export async function openSession(
  context: Context,
  options: SessionOptions,
  defaultLogger: Logger,
): Promise<{ session: Session; close: () => Promise<void> }> {
  return openSessionOn(await openGround(context, options, defaultLogger), options);
}

/** As `openSession`, on what is open already. It is closed with the session. */
export async function openSessionOn(
  { fixture, ...ground }: Ground,
  options: SessionOptions,
): Promise<{ session: Session; close: () => Promise<void> }> {
  try {
    const service = await (options.open ?? createService)({
      ...ground,
      ...(fixture === undefined ? {} : { anchor_ms: fixture.anchor_ms }),
      ...(options.observer === undefined ? {} : { observer: options.observer(ground.config) }),
    });
    const fixtureUsers = fixture === undefined ? undefined : await loadOnce(fixture, service, options.reload === true);
    const session: Session = {
      service,
      baseDir: ground.baseDir,
      fixtureUsers,
      ...callsOf(service, ground.random),
    };
    return { session, close: () => service.close() };
  } catch (error) {
    await ground.storage.close();
    throw error;
  }
}

/** Loads a fixture, and its news, into a storage that has not seen them. */
async function loadOnce(fixture: Fixture, service: Service, again: boolean): Promise<FixtureUser[] | undefined> {
  const users = !again && (await isLoaded(fixture, service.storage)) ? undefined : await loadFixture(fixture, service);
  // The daemon does this on its own, and a command has nothing but these news to show or to answer from.
  if (!again && (await service.news.status()).version === 0) await service.news.refresh("full");
  return users;
}
