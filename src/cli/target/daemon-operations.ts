import { createClient, type Success } from "../../client/client.ts";
import type { RetryPolicy } from "../../client/client-retry.ts";
import type { RawInput } from "../../contract/validation/validate-request.ts";
import { ENDPOINTS, type OperationId } from "../../contract/endpoints.ts";
import { CommandFailure, EXIT, orUsageError, UsageError } from "../framework/command-failure.ts";
import { zoneOf } from "../framework/time-format.ts";
import type { DaemonTarget } from "./daemon-target.ts";

/** The operations of a running daemon, on behalf of the token's user. @param user named by the command, checked there
 * @throws UsageError for a token that no header can carry, or a user who is not the token's */
export async function openDaemonOperations(target: DaemonTarget, user: string | undefined, retry?: RetryPolicy) {
  const client = orUsageError("The token", () => createClient({ ...target, ...(retry && { retry }) }));
  let me: Promise<Success<"getMe">> | undefined;

  async function run<K extends OperationId>(id: K, input: RawInput, idempotencyKey?: string): Promise<Success<K>> {
    if (ENDPOINTS[id].auth === "required") requireToken(target);
    return client(id, input, idempotencyKey);
  }

  async function ownAccount() {
    requireToken(target);
    return (await (me ??= client("getMe"))).data;
  }

  const currentUser = async (): Promise<string> => (await ownAccount()).user_id;
  if (user !== undefined && (await currentUser()) !== user)
    throw new UsageError(`The token is not ${user}'s but ${await currentUser()}'s.`);
  return { run, currentUser, zone: async () => zoneOf((await ownAccount()).next_reset_at) };
}

function requireToken({ url, token }: DaemonTarget): void {
  if (token !== undefined) return;
  const remedy = "Give ANP_TOKEN_FILE, ANP_TOKEN, --token, or a --profile that has one.";
  throw new CommandFailure(EXIT.auth, `There is no token for ${url}. ${remedy}`);
}
