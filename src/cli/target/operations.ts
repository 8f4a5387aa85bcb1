import type { RawInput } from "../../contract/check-input.ts";
import type { OperationId } from "../../contract/endpoints.ts";
import type { Call, Outcome } from "../../service/operation.ts";
import type { AccountOperationId } from "../../service/points.ts";
import type { Context } from "../framework/command-context.ts";
import type { DaemonTarget } from "./daemon-target.ts";
import type { AccountsSession, Session } from "./open-session.ts";
import { withAccounts, withSession } from "./session.ts";
import { findUser } from "./find-user.ts";

/** Operations of the interface in one user's name, or nobody's: on the storage, or on a running daemon. */
export interface Operations<Id extends OperationId = OperationId, S extends AccountsSession = Session> {
  /**
   * Runs one. The client of a daemon makes an idempotency key where none is given, so that it may try again.
   *
   * @throws AnpError as the operation does
   */
  readonly run: <K extends Id>(id: K, input: RawInput, idempotencyKey?: string) => Promise<Outcome<K>>;
  /** The id of the user; on a daemon, of the token's user. */
  readonly whose: () => Promise<string>;
  /** What the operations run on when that is a storage. */
  readonly session?: S;
}

/** Those on a user's points, quota and plan. */
export type AccountOperations = Operations<AccountOperationId, AccountsSession>;

/**
 * Opens the interface's operations on what the command works on, and closes it after `action`.
 *
 * @param user the user of the calls; undefined means nobody on the storage, and the token's user on a daemon
 * @throws UsageError when the user is not the token's
 */
export async function withOperations<T>(
  context: Context,
  user: string | undefined,
  action: (operations: Operations) => Promise<T>,
): Promise<T> {
  const { daemon } = context;
  if (daemon !== undefined) return onDaemon(daemon, user, action);
  const onStorage = (session: Session): Promise<T> =>
    action({
      ...ofUser(session, user),
      run: async (id, input, key) => session.service.run(id, await callFor(session, user, key), input),
    });
  // What needs no user can be shown, or refreshed, where nothing is stored yet.
  return withSession(context, onStorage, user === undefined ? { create: true } : {});
}

/**
 * As `withOperations`, for those on a user's points, quota and plan: on the storage nothing else is opened.
 *
 * @param options.lookUp whether the user may be given by the beginning of a token: for what only reads
 */
export async function withAccountOperations<T>(
  context: Context,
  user: string | undefined,
  action: (operations: AccountOperations) => Promise<T>,
  options: { readonly lookUp?: boolean } = {},
): Promise<T> {
  const { daemon } = context;
  if (daemon !== undefined) return onDaemon(daemon, user, action);
  return withAccounts(context, async (session) => {
    const who = user === undefined || options.lookUp !== true ? user : await findUser(session.service, user);
    return action({
      ...ofUser(session, who),
      run: async (id, input, key) => session.service.run(id, await callFor(session, who, key), input),
    });
  });
}

async function onDaemon<T>(
  daemon: DaemonTarget,
  user: string | undefined,
  action: (operations: Operations) => Promise<T>,
): Promise<T> {
  const { openDaemonOperations } = await import("./daemon-operations.ts");
  const operations = await openDaemonOperations(daemon, user);
  try {
    return await action(operations);
  } finally {
    operations.close();
  }
}

function ofUser<S>(
  session: S,
  user: string | undefined,
): { readonly session: S; readonly whose: () => Promise<string> } {
  return {
    session,
    async whose() {
      if (user === undefined) throw new Error("The operations belong to no user.");
      return Promise.resolve(user);
    },
  };
}

async function callFor(session: AccountsSession, user: string | undefined, key: string | undefined): Promise<Call> {
  return user === undefined ? session.anonymous() : session.callOf(user, key);
}

/** An operation of the interface, as a command calls it. */
export interface Asked<O = Operations> {
  readonly user?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly input: RawInput;
  /** Runs between the checks and the operation. */
  readonly before?: (operations: O) => Promise<void>;
  /** Runs after the operation, on the same storage. */
  readonly after?: (operations: O) => Promise<void>;
}

/**
 * Runs an operation of the interface, its input checked before anything is opened.
 *
 * @throws AnpError as the operation does
 */
export async function runOperation<K extends OperationId>(context: Context, id: K, asked: Asked): Promise<Outcome<K>> {
  const { checkInput } = await import("../../contract/check-input.ts");
  checkInput(id, asked.input);
  return withOperations(context, asked.user, (operations) => perform(context, operations, id, asked));
}

/**
 * As `runOperation`, for those on a user's points, quota and plan. The user of one that only reads may be given by the
 * beginning of a token.
 *
 * @throws AnpError as the operation does
 */
export async function runAccountOperation<K extends AccountOperationId>(
  context: Context,
  id: K,
  asked: Asked<AccountOperations>,
): Promise<Outcome<K>> {
  const [{ checkInput }, { ENDPOINTS }] = await Promise.all([
    import("../../contract/check-input.ts"),
    import("../../contract/endpoints.ts"),
  ]);
  checkInput(id, asked.input);
  const lookUp = ENDPOINTS[id].method === "GET";
  return withAccountOperations(context, asked.user, (operations) => perform(context, operations, id, asked), {
    lookUp,
  });
}

async function perform<Id extends OperationId, S extends AccountsSession, K extends Id>(
  { terminal }: Context,
  operations: Operations<Id, S>,
  id: K,
  { input, idempotencyKey, before, after }: Asked<Operations<Id, S>>,
): Promise<Outcome<K>> {
  await before?.(operations);
  const outcome = await operations.run(id, input, idempotencyKey);
  await after?.(operations);
  if (outcome.replayed === true) terminal.say("This was done before: its first result is shown.");
  return outcome;
}
