import type { RawInput } from "../../contract/check-input.ts";
import type { OperationId } from "../../contract/endpoints.ts";
import type { Call, Outcome } from "../../service/operation.ts";
import type { AccountOperationId } from "../../service/points.ts";
import type { Context } from "../framework/command-context.ts";
import type { DaemonTarget } from "./daemon-target.ts";
import type { AccountsSession, Session } from "./open-session.ts";
import { withAccounts, withSession } from "./session.ts";
import { findUser } from "./find-user.ts";

/** The operations of the interface, for one user or an anonymous caller, on the storage or on a running daemon. */
export interface Operations<Id extends OperationId = OperationId, S extends AccountsSession = Session> {
  /**
   * Runs an operation. The client of a daemon generates an idempotency key if none is given, so that it can retry.
   *
   * @throws AnpError as the operation does
   */
  readonly run: <K extends Id>(id: K, input: RawInput, idempotencyKey?: string) => Promise<Outcome<K>>;
  /** The id of the user; on a daemon, of the token's user. */
  readonly currentUser: () => Promise<string>;
  /** The session of operations that run on the storage. */
  readonly session?: S;
}

/** The operations on a user's points, quota and plan. */
export type AccountOperations = Operations<AccountOperationId, AccountsSession>;

/**
 * Opens the interface's operations on the command's target, and closes it after `action`.
 *
 * @param user the user of the calls; undefined means an anonymous caller on the storage, the token's user on a daemon
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
  // An operation without a user also works where nothing is stored yet.
  return withSession(context, onStorage, user === undefined ? { create: true } : {});
}

/**
 * As `withOperations`, for the operations on a user's points, quota and plan: on the storage nothing else is opened.
 *
 * @param options.lookUp whether the user may be given as the beginning of a token; for operations that only read
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
): { readonly session: S; readonly currentUser: () => Promise<string> } {
  return {
    session,
    async currentUser() {
      if (user === undefined) throw new Error("The operations belong to no user.");
      return Promise.resolve(user);
    },
  };
}

async function callFor(session: AccountsSession, user: string | undefined, key: string | undefined): Promise<Call> {
  return user === undefined ? session.anonymous() : session.callOf(user, key);
}

/** The parameters of one operation. */
export interface OperationRequest<O = Operations> {
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
export async function runOperation<K extends OperationId>(
  context: Context,
  id: K,
  request: OperationRequest,
): Promise<Outcome<K>> {
  const { checkInput } = await import("../../contract/check-input.ts");
  checkInput(id, request.input);
  return withOperations(context, request.user, (operations) => perform(context, operations, id, request));
}

/**
 * As `runOperation`, for the operations on a user's points, quota and plan. For one that only reads, the user may be
 * given as the beginning of a token.
 *
 * @throws AnpError as the operation does
 */
export async function runAccountOperation<K extends AccountOperationId>(
  context: Context,
  id: K,
  request: OperationRequest<AccountOperations>,
): Promise<Outcome<K>> {
  const [{ checkInput }, { ENDPOINTS }] = await Promise.all([
    import("../../contract/check-input.ts"),
    import("../../contract/endpoints.ts"),
  ]);
  checkInput(id, request.input);
  const lookUp = ENDPOINTS[id].method === "GET";
  return withAccountOperations(context, request.user, (operations) => perform(context, operations, id, request), {
    lookUp,
  });
}

async function perform<Id extends OperationId, S extends AccountsSession, K extends Id>(
  { terminal }: Context,
  operations: Operations<Id, S>,
  id: K,
  { input, idempotencyKey, before, after }: OperationRequest<Operations<Id, S>>,
): Promise<Outcome<K>> {
  await before?.(operations);
  const outcome = await operations.run(id, input, idempotencyKey);
  await after?.(operations);
  if (outcome.replayed === true) terminal.say("This was done before: its first result is shown.");
  return outcome;
}
