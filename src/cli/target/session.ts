import type { Logger } from "../../runtime/logger.ts";
import type { AccountsService } from "../../service/accounts-service.ts";
import type { Config } from "../../config/config-schema.ts";
import type { FixtureUser } from "../../admin/load-fixture.ts";
import type { ConfigValues } from "../../config/load-config.ts";
import type { ServiceObserver } from "../../service/observer.ts";
import type { Call } from "../../service/operation.ts";
import type { Service, ServiceDeps } from "../../service/service.ts";
import type { Context } from "../framework/command-context.ts";
import { createTerminalLogger } from "../terminal/terminal-logger.ts";

/** Users and their points, opened on the storage that the flags, the environment and the configuration name. */
export interface AccountsSession {
  readonly service: AccountsService;
  /**
   * A call in the name of a user.
   *
   * @throws AnpError 404 for a user who is not known
   */
  readonly callOf: (user: string, idempotency_key?: string) => Promise<Call>;
  /** A call in nobody's name. */
  readonly anonymous: () => Call;
}

/** The whole service, opened there. */
export interface Session extends AccountsSession {
  readonly service: Service;
  /** The folder that relative paths of the configuration start from. */
  readonly baseDir: string;
  /** The users of the fixture in use; undefined without one, or when they were loaded before. */
  readonly fixtureUsers: readonly FixtureUser[] | undefined;
}

/** What of the options means something where only accounts are opened. */
export type AccountsOptions = Pick<SessionOptions, "check" | "secret" | "create" | "unfinished">;

export interface SessionOptions {
  readonly logger?: (config: Config) => Logger;
  /** Learns what the service does. */
  readonly observer?: (config: Config) => ServiceObserver;
  /** Configuration from the command's own flags. */
  readonly config?: ConfigValues;
  /** Puts the service together where the usual way is not wanted: with faults. */
  readonly open?: (deps: ServiceDeps) => Promise<Service>;
  /** Checks values against the configuration before anything is opened. */
  readonly check?: (config: Config) => void;
  /** Ids and secrets that nobody may foresee, whatever --seed says. */
  readonly secret?: true;
  /** Makes the storage where there is none yet; any other command takes that for a mistyped name. */
  readonly create?: true;
  /** Works on a storage that is only being taken in, too. */
  readonly unfinished?: true;
  /** Loads the fixture again though it was loaded before: the daemon needs its users and repairs what is missing. */
  readonly reload?: true;
}

/**
 * Opens the service on the storage, whatever daemon is named, and closes it after `action`, whatever happens. A fixture
 * that the storage has not seen is loaded first; on any other storage nothing is written.
 *
 * @throws UsageError, ConfigError, StorageError
 */
export async function withSession<T>(
  context: Context,
  action: (session: Session) => Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  const { openSession } = await import("./open-session.ts");
  return used(await openSession(context, options, createTerminalLogger(context)), action);
}

/**
 * As `withSession`, but opens only what keeps users and their points: news, events and the assistant take longer to
 * load than most commands take to run. A fixture that the storage has not seen needs everything, to be loaded.
 *
 * @throws UsageError, ConfigError, StorageError
 */
export async function withAccounts<T>(
  context: Context,
  action: (session: AccountsSession) => Promise<T>,
  options: AccountsOptions = {},
): Promise<T> {
  const { openAccounts } = await import("./open-accounts.ts");
  return used(await openAccounts(context, options, createTerminalLogger(context)), action);
}

async function used<S, T>(
  { session, close }: { session: S; close: () => Promise<void> },
  action: (session: S) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await action(session);
  } catch (error) {
    // What went wrong first is what is told.
    await close().catch(() => undefined);
    throw error;
  }
  await close();
  return result;
}
