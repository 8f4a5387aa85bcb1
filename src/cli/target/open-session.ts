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
  /** Loads the fixture in use, where `fillLater` was given: its users. Undefined without a fixture. */
  readonly fill: (() => Promise<readonly FixtureUser[]>) | undefined;
}

export interface SessionOptions extends DependencyOptions {
  /** Observes what the service does. */
  readonly observer?: ((config: Config) => ServiceObserver) | undefined;
  /** Replaces `createService`, to inject faults. */
  readonly open?: ((deps: ServiceDeps) => Promise<Service>) | undefined;
  /** Computes in worker threads. */
  readonly workers?: true | undefined;
  /** Leaves it to the caller to load the fixture, even if it was loaded before: the daemon repairs what is missing. */
  readonly fillLater?: boolean | undefined;
}

/** Opens the whole service. See `withSession`. */
export async function openSession(context: Context, options: SessionOptions): Promise<Session> {
  const dependencies = await openDependencies(context, options);
  return closedOnError(dependencies, sessionOn(dependencies, options));
}

/** Opens the users and their points; the whole service where a fixture is still to be loaded. See `withAccounts`. */
export async function openAccounts(context: Context, options: DependencyOptions): Promise<AccountsSession> {
  const dependencies = await openDependencies(context, options);
  const { fixture, storage } = dependencies;
  const open = async (): Promise<AccountsSession> => {
    if (fixture !== undefined && !(await isLoaded(fixture, storage))) return sessionOn(dependencies, options);
    return sessionOf(createAccountsService(dependencies), dependencies);
  };
  return closedOnError(dependencies, open());
}

async function closedOnError<T>({ storage }: RuntimeDependencies, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function sessionOn(
  { fixture, ...dependencies }: RuntimeDependencies,
  { open, observer, workers, fillLater = false }: SessionOptions,
): Promise<Session> {
  const create = open ?? (await import("../../service/service.ts")).createService;
  const service = await create({
    ...dependencies,
    workers,
    ...(fixture !== undefined && { anchor_ms: fixture.anchor_ms }),
    ...(observer !== undefined && { observer: observer(dependencies.config) }),
  });
  if (fixture !== undefined && !fillLater) await loadOnce(fixture, service);
  return {
    ...sessionOf(service, dependencies),
    baseDir: dependencies.baseDir,
    fill: fixture !== undefined && fillLater ? () => loadFixture(fixture, service) : undefined,
  };
}

function sessionOf<S extends AccountsService>(service: S, { random }: Pick<RuntimeDependencies, "random">) {
  const { ids, userStates } = service;
  return {
    service,
    async callOf(user: string, idempotency_key?: string): Promise<Call> {
      const { ledger } = await userStates.of(user);
      random.restart(`${user} ${ledger.version}`);
      return { request_id: ids.request(), user, ...(idempotency_key !== undefined && { idempotency_key }) };
    },
    anonymous: (): Call => ({ request_id: ids.request() }),
  };
}

/** Loads a fixture, and its news, into a storage that does not have them. */
async function loadOnce(fixture: Fixture, service: Service): Promise<void> {
  if (!(await isLoaded(fixture, service.storage))) await loadFixture(fixture, service);
  // The daemon refreshes by itself. A command has only this news to show or to answer from.
  if ((await service.news.status()).version === 0) await service.news.refresh("full");
}
