import type { RawInput } from "../../contract/validation/validate-request.ts";
import type { Success } from "../../client/client.ts";
import type { RetryPolicy } from "../../client/client-retry.ts";
import type { OperationId } from "../../contract/endpoints.ts";
import type { Call, Outcome } from "../../service/operation.ts";
import type { AccountOperationId } from "../../service/points.ts";
import type { Context } from "../framework/command-context.ts";
import type { AccountsSession, Session, SessionOptions } from "./open-session.ts";
import type { AccountsService } from "../../service/accounts-service.ts";
import { CommandFailure, EXIT, toUsageError, UsageError } from "../framework/command-failure.ts";
import { zoneOf } from "../framework/time-format.ts";
import type { DaemonTarget } from "./daemon-target.ts";

/** The operations of the interface, for one user or an anonymous caller, on the storage or on a running daemon. */
export interface Operations<Id extends OperationId = OperationId, S = Session> {
  /** Runs an operation. The client of a daemon generates an idempotency key if none is given, so that it can retry.
   * @throws AnpError as the operation does */
  readonly run: <K extends Id>(id: K, input: RawInput, key?: string) => Promise<Outcome<K>>;
  readonly currentUser: () => Promise<string>; // The id of the user; on a daemon, of the token's user.
  readonly zone: () => Promise<string>; // The zone of the quota's days, an offset such as `+08:00`.
  readonly session?: S; // The session of operations that run on the storage.
}

/** The operations on a user's points, quota and plan. */
export type AccountOperations = Operations<AccountOperationId, AccountsSession>;
type Action<S, T> = (opened: S) => Promise<T>;

/** Opens the interface's operations on the command's target, and closes it after `action`.
 * @param user the user of the calls; undefined means an anonymous caller on the storage, the token's user on a daemon
 * @throws UsageError when the user is not the token's */
export async function withOperations<T>(context: Context, user: string | undefined, action: Action<Operations, T>) {
  if (context.daemon !== undefined) return action(await daemonOperations(context.daemon, user));
  // An operation without a user also works on a storage that does not exist yet.
  const options = user === undefined ? ({ absent: true } as const) : {};
  return withSession(context, (session) => action(onStorage<OperationId, Session>(session, user)), options);
}

/** As `withOperations`, for the operations on a user's points, quota and plan: on the storage nothing else is opened.
 * @param options.lookUp whether the user may be given as the beginning of a token; for operations that only read */
export async function withAccountOperations<T>(
  context: Context,
  user: string | undefined,
  action: Action<AccountOperations, T>,
  options: { readonly lookUp?: boolean } = {},
): Promise<T> {
  if (context.daemon !== undefined) return action(await daemonOperations(context.daemon, user));
  return withAccounts(context, async (session) => {
    const who = user === undefined || options.lookUp !== true ? user : await findUser(context, session.service, user);
    return action(onStorage<AccountOperationId, AccountsSession>(session, who));
  });
}

/** The operations of a running daemon, on behalf of the token's user.
 * @param user named by the command, checked there
 * @throws UsageError for a token that no header can carry, or a user who is not the token's */
export async function daemonOperations(daemon: DaemonTarget, user: string | undefined, retry?: RetryPolicy) {
  const { createClient } = await import("../../client/client.ts");
  const { ENDPOINTS } = await import("../../contract/endpoints.ts");
  const client = toUsageError("The token", () => createClient({ ...daemon, ...(retry && { retry }) }));
  let me: Promise<Success<"getMe">> | undefined;

  async function run<K extends OperationId>(id: K, input: RawInput, idempotencyKey?: string): Promise<Success<K>> {
    const remedy = "Give ANP_TOKEN_FILE, ANP_TOKEN, --token, or a --profile that has one.";
    if (ENDPOINTS[id].auth === "required" && daemon.token === undefined)
      throw new CommandFailure(EXIT.auth, `There is no token for ${daemon.url}. ${remedy}`);
    return client(id, input, idempotencyKey);
  }

  const ownAccount = async () => (await (me ??= run("getMe", {}))).data;
  const currentUser = async (): Promise<string> => (await ownAccount()).user_id;
  if (user !== undefined && (await currentUser()) !== user)
    throw new UsageError(`The token is not ${user}'s but ${await currentUser()}'s.`);
  return { run, currentUser, zone: async () => zoneOf((await ownAccount()).next_reset_at) };
}

const onStorage = <Id extends OperationId, S extends AccountsSession>(
  session: S & { service: { run: <K extends Id>(id: K, call: Call, raw: RawInput) => Promise<Outcome<K>> } },
  user: string | undefined,
): Operations<Id, S> => ({
  session,
  currentUser: () => Promise.resolve(user!), // Only commands with a user call it.
  zone: () => Promise.resolve(session.zone),
  async run(id, input, key) {
    if (user === undefined) return session.service.run(id, session.anonymous(), input);
    const { ENDPOINTS } = await import("../../contract/endpoints.ts");
    const call = await session[ENDPOINTS[id].method === "GET" ? "callOf" : "activeCallOf"](user, key);
    return session.service.run(id, call, input);
  },
});

type Asked = { user?: string | undefined; idempotencyKey?: string | undefined; input: RawInput };

/** Checks the input, then opens the target and runs an operation of the interface. @throws AnpError as it does */
export async function runOperation<K extends OperationId>(context: Context, id: K, asked: Asked): Promise<Outcome<K>> {
  const { user, idempotencyKey, input } = asked;
  (await import("../../contract/validation/validate-request.ts")).validateRequest(id, input);
  const outcome = await withOperations(context, user, ({ run }) => run(id, input, idempotencyKey));
  reportReplay(context, outcome);
  return outcome;
}

/** Prints a note if the result is that of an earlier call. */
export function reportReplay({ terminal }: Context, { replayed }: { readonly replayed?: boolean }): void {
  if (replayed === true) terminal.say("This was done before: its first result is shown.");
}

/** Opens the service on the storage, even if a daemon is named, and always closes it after `action`. A fixture that the
 * storage does not have is loaded first; nothing is written to any other storage.
 * @throws UsageError, ConfigError, StorageError */
export const withSession = async <T>(context: Context, action: Action<Session, T>, options: SessionOptions = {}) =>
  use((await import("./open-session.ts")).openSession(context, true, options), action);

/** As `withSession`, but opens only the users and their points: news, events and the assistant take longer to load than
 * most commands take to run. The whole service is opened if a fixture must be loaded first.
 * @throws UsageError, ConfigError, StorageError */
export const withAccounts = async <T>(context: Context, act: Action<AccountsSession, T>, how: SessionOptions = {}) =>
  use((await import("./open-session.ts")).openSession(context, false, how), act);

async function use<S extends AccountsSession, T>(opened: Promise<S>, action: Action<S, T>): Promise<T> {
  const session = await opened;
  const result = await opened.then(action).catch(async (error: unknown) => {
    const reported = await withSuggestion(error, session.service);
    await session.close().catch(() => undefined); // The first error is the one to report.
    throw reported;
  });
  await session.close();
  return result;
}

const MAX_COMPARED = 20_000;

async function withSuggestion(error: unknown, { users }: Pick<AccountsService, "users">): Promise<unknown> {
  const { UnknownUserError } = await import("../../contract/errors.ts");
  if (!(error instanceof UnknownUserError)) return error;
  const known: string[] = [];
  for await (const { user_id } of users.list(() => undefined)) if (known.push(user_id) === MAX_COMPARED) break;
  const { didYouMean } = await import("../../runtime/text/edit-distance.ts");
  return new UnknownUserError(error.user, didYouMean(error.user, known));
}

/** The one user that matches the typed text: see `findUsers`. Reports what could not be compared.
 * @throws AnpError 404 when there is none, UsageError when there is more than one */
export async function findUser({ terminal }: Context, service: AccountsService, typed: string): Promise<string> {
  const { findUsers } = await import("../../admin/find-users.ts");
  const [user, ...others] = await findUsers(service, typed, (compared) => {
    terminal.say(`Only the first ${compared} characters of the token could be compared.`);
  });
  if (others.length === 0) return user;
  const found = [user, ...others].join(", ");
  throw new UsageError(`USER is ambiguous: tokens of ${found} begin with it. Type more of the token.`);
}
