import { isLoaded, loadFixture, type Fixture, type FixtureUser } from "../../admin/load-fixture.ts";
import type { Config } from "../../config/config-schema.ts";
import { createAccountsService, type AccountsService } from "../../service/accounts-service.ts";
import type { ServiceObserver } from "../../service/observer.ts";
import type { Call } from "../../service/operation.ts";
import type { Service, ServiceDeps } from "../../service/service.ts";
import type { Context } from "../framework/command-context.ts";
import { openDependencies, type DependencyOptions, type RuntimeDependencies } from "./runtime-dependencies.ts";

/** The users and their points, on the storage that the flags, the environment and the configuration name. */
export interface AccountsSession {
  readonly service: AccountsService;
  /**
   * A call on behalf of a user.
   *
   * @throws AnpError 404 for a user who is not known
   */
  readonly callOf: (user: string, idempotency_key?: string) => Promise<Call>;
  /** A call without a user. */
  readonly anonymous: () => Call;
}

/** The whole service, on the same storage. */
export interface Session extends AccountsSession {
  readonly service: Service;
  /** The folder that relative paths of the configuration are resolved against. */
  readonly baseDir: string;
  /** The users of the fixture in use; undefined without one, or when they were loaded before. */
  readonly fixtureUsers: readonly FixtureUser[] | undefined;
}

export interface SessionOptions extends DependencyOptions {
  /** Observes what the service does. */
  readonly observer?: ((config: Config) => ServiceObserver) | undefined;
  /** Replaces `createService`, to inject faults. */
  readonly open?: ((deps: ServiceDeps) => Promise<Service>) | undefined;
  /** Loads the fixture even if it was loaded before: the daemon needs its users and repairs what is missing. */
  readonly reload?: true | undefined;
}

/** An open session, and the way to close it with its storage. */
interface Opened<S> {
  readonly session: S;
  readonly close: () => Promise<void>;
}

/** Opens the whole service. See `withSession`. */
export async function openSession(context: Context, options: SessionOptions): Promise<Opened<Session>> {
  const dependencies = await openDependencies(context, options);
  return closedOnError(dependencies, () => sessionOn(dependencies, options));
}

/** Opens the users and their points; the whole service where a fixture is still to be loaded. See `withAccounts`. */
export async function openAccounts(context: Context, options: DependencyOptions): Promise<Opened<AccountsSession>> {
  const dependencies = await openDependencies(context, options);
  return closedOnError(dependencies, async () => {
    const { fixture, storage } = dependencies;
    if (fixture !== undefined && !(await isLoaded(fixture, storage))) return sessionOn(dependencies, options);
    const service = createAccountsService(dependencies);
    return { session: { service, ...callsOf(service, dependencies) }, close: () => service.close() };
  });
}

async function closedOnError<T>({ storage }: RuntimeDependencies, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function sessionOn(
  { fixture, ...dependencies }: RuntimeDependencies,
  options: SessionOptions,
): Promise<Opened<Session>> {
  const create = options.open ?? (await import("../../service/service.ts")).createService;
  const service = await create({
    ...dependencies,
    ...(fixture === undefined ? {} : { anchor_ms: fixture.anchor_ms }),
    ...(options.observer === undefined ? {} : { observer: options.observer(dependencies.config) }),
  });
  const fixtureUsers = fixture === undefined ? undefined : await loadOnce(fixture, service, options.reload === true);
  const { baseDir } = dependencies;
  return {
    session: { service, baseDir, fixtureUsers, ...callsOf(service, dependencies) },
    close: () => service.close(),
  };
}

/** Calls of a service, with and without a user. */
function callsOf(
  { ids, userStates }: AccountsService,
  { random }: Pick<RuntimeDependencies, "random">,
): Pick<AccountsSession, "callOf" | "anonymous"> {
  return {
    async callOf(user, idempotency_key) {
      const { ledger } = await userStates.of(user);
      random.restart(`${user} ${ledger.version}`);
      return { request_id: ids.request(), user, ...(idempotency_key === undefined ? {} : { idempotency_key }) };
    },
    anonymous: () => ({ request_id: ids.request() }),
  };
}

/** Loads a fixture, and its news, into a storage that does not have them. */
async function loadOnce(fixture: Fixture, service: Service, again: boolean): Promise<FixtureUser[] | undefined> {
  const users = !again && (await isLoaded(fixture, service.storage)) ? undefined : await loadFixture(fixture, service);
  // The daemon refreshes by itself. A command has only this news to show or to answer from.
  if (!again && (await service.news.status()).version === 0) await service.news.refresh("full");
  return users;
}
