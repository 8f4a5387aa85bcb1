import type { Context } from "../framework/command-context.ts";
import { createTerminalLogger } from "../terminal/terminal-logger.ts";
import type { AccountsSession, Session, SessionOptions } from "./open-session.ts";
import type { DependencyOptions } from "./runtime-dependencies.ts";

/**
 * Opens the service on the storage, even if a daemon is named, and always closes it after `action`. A fixture that the
 * storage does not have is loaded first; nothing is written to any other storage.
 *
 * @throws UsageError, ConfigError, StorageError
 *
 * @example
 * await withSession(context, ({ service }) => service.news.status());
 */
export async function withSession<T>(
  context: Context,
  action: (session: Session) => Promise<T>,
  options: Partial<SessionOptions> = {},
): Promise<T> {
  const { openSession } = await import("./open-session.ts");
  return use(await openSession(context, { logger: () => createTerminalLogger(context), ...options }), action);
}

/**
 * As `withSession`, but opens only the users and their points: news, events and the assistant take longer to load than
 * most commands take to run. The whole service is opened where a fixture is still to be loaded.
 *
 * @throws UsageError, ConfigError, StorageError
 */
export async function withAccounts<T>(
  context: Context,
  action: (session: AccountsSession) => Promise<T>,
  options: Partial<DependencyOptions> = {},
): Promise<T> {
  const { openAccounts } = await import("./open-session.ts");
  return use(await openAccounts(context, { logger: () => createTerminalLogger(context), ...options }), action);
}

async function use<S extends AccountsSession, T>(session: S, action: (session: S) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await action(session);
  } catch (error) {
    // The first error is the one to report.
    await session.service.close().catch(() => undefined);
    throw error;
  }
  await session.service.close();
  return result;
}
