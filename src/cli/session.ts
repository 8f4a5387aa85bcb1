import type { RawInput } from "../contract/check.ts";
import type { OperationId } from "../contract/endpoints.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Config } from "../service/config.ts";
import type { FixtureUser } from "../service/fixtures.ts";
import type { ConfigValues } from "../service/load-config.ts";
import type { Call, Outcome } from "../service/operation.ts";
import type { Service } from "../service/service.ts";
import type { Context } from "./command.ts";
import { createTerminalLogger } from "./terminal-logger.ts";

/** A service opened on the storage that the flags, the environment and the configuration name. */
export interface Session {
  readonly service: Service;
  /** The users of the fixture in use; undefined without one, or when they were loaded before. */
  readonly fixtureUsers: readonly FixtureUser[] | undefined;
  /**
   * A call in the name of a user.
   *
   * @throws AnpError 404 for a user who is not known
   */
  readonly callOf: (user: string, idempotency_key?: string) => Promise<Call>;
  /** A call in nobody's name. */
  readonly anonymous: () => Call;
}

export interface SessionOptions {
  readonly logger?: (config: Config) => Logger;
  /** Configuration from the command's own flags. */
  readonly config?: ConfigValues;
  /** Checks values against the configuration before anything is opened. */
  readonly check?: (config: Config) => void;
  /** Ids and secrets that nobody may foresee, whatever --seed says. */
  readonly secret?: true;
  /** Makes the storage where there is none yet; any other command takes that for a mistyped name. */
  readonly create?: true;
  /** Loads the fixture again though it was loaded before: the daemon needs its users and repairs what is missing. */
  readonly reload?: true;
}

/**
 * Opens the service and closes it after `action`, whatever happens. A fixture that the storage has not seen is loaded
 * first; on any other storage nothing is written.
 *
 * @throws UsageError, ConfigError, StorageError
 */
export async function withSession<T>(
  context: Context,
  action: (session: Session) => Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  const { openSession } = await import("./open-session.ts");
  const { session, close } = await openSession(context, options, createTerminalLogger(context));
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

/** An operation of the interface, as a command asks for it. */
export interface Asked {
  readonly user?: string;
  readonly idempotencyKey?: string | undefined;
  readonly input: RawInput;
  /** Runs between the checks and the operation. */
  readonly before?: (session: Session) => Promise<void>;
  /** Runs after the operation, on the same storage. */
  readonly after?: (session: Session) => Promise<void>;
}

/**
 * Runs an operation of the interface, its input checked before anything is opened.
 *
 * @throws AnpError as the operation does
 */
export async function runOperation<K extends OperationId>(
  context: Context,
  id: K,
  { user, idempotencyKey, input, before, after }: Asked,
): Promise<Outcome<K>> {
  const { checkInput } = await import("../contract/check.ts");
  checkInput(id, input);
  const run = async (session: Session): Promise<Outcome<K>> => {
    const call = user === undefined ? session.anonymous() : await session.callOf(user, idempotencyKey);
    await before?.(session);
    const outcome = await session.service.run(id, call, input);
    await after?.(session);
    if (outcome.replayed === true) context.terminal.say("This was done before: its first result is shown.");
    return outcome;
  };
  // What needs no user can be shown, or refreshed, where nothing is stored yet.
  return withSession(context, run, user === undefined ? { create: true } : {});
}
