import { readUrl } from "../../client/daemon-url.ts";
import { createClient, type Client } from "../../client/client.ts";
import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { DaemonTarget } from "./daemon-target.ts";
import { CommandFailure, EXIT, UsageError } from "../framework/exit.ts";
import type { Operations } from "./operations.ts";

/**
 * Opens the operations of a running daemon in the name of the token's user.
 *
 * @param user who the command says it is about; checked against the daemon
 * @throws UsageError for an address that is none, or a user who is not the token's
 */
export async function openDaemon(
  daemon: DaemonTarget,
  user: string | undefined,
): Promise<{ operations: Operations; client: Client; close: () => void }> {
  const client = clientOf(daemon);
  let me: Promise<string> | undefined;
  const whose = (): Promise<string> => {
    requireToken(daemon);
    return (me ??= client.getMe().then(({ data }) => data.user_id));
  };
  const operations: Operations = {
    async run(id, input, idempotencyKey) {
      if (ENDPOINTS[id].auth === "required") requireToken(daemon);
      const { data, replayed } = await client.call(id, input, { idempotencyKey });
      return { data, replayed };
    },
    whose,
  };
  try {
    if (user !== undefined && (await whose()) !== user) {
      throw new UsageError(`The token is not ${user}'s but ${await whose()}'s.`);
    }
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    operations,
    client,
    close() {
      client.close();
    },
  };
}

function clientOf({ url, token }: DaemonTarget): Client {
  try {
    readUrl(url);
  } catch (error) {
    throw new UsageError(`The address of the daemon ${(error as RangeError).message}.`);
  }
  try {
    return createClient({ url, token });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(error.message);
  }
}

function requireToken({ url, token }: DaemonTarget): void {
  if (token !== undefined) return;
  throw new CommandFailure(
    EXIT.auth,
    `There is no token for ${url}. Give ANP_TOKEN_FILE, ANP_TOKEN, --token, or a --profile that has one.`,
  );
}
