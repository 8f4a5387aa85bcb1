import type { AccountsService } from "../../service/accounts-service.ts";
import { UsageError } from "../framework/exit.ts";

/** What a token of ours begins with, and how much of one is enough to tell it from others. */
const PREFIX = "anp_";
const LEAST_START = PREFIX.length + 4;

/** What USER takes where it takes a token. */
export const USER_OR_TOKEN = `id of the user, a token, or the first ${LEAST_START} characters or more of one that begins with ${PREFIX}`;

/**
 * The id of the user that was typed: an id, a whole token of any kind, the beginning of a token of ours (`anp_` and 4
 * characters or more), or a token's id. A user of that very id goes before any token.
 *
 * @throws AnpError 404 when nobody is meant
 * @throws UsageError when more than one user is
 */
export async function findUser(
  { users, tokens }: Pick<AccountsService, "users" | "tokens">,
  typed: string,
): Promise<string> {
  if ((await users.get(typed)) !== undefined) return typed;
  const { AnpError } = await import("../../contract/errors.ts");
  const named = await tokens.find(typed);
  if (named !== undefined) return named.user_id;
  if (!typed.startsWith(PREFIX)) throw new AnpError(404, `User ${typed} is not known.`);
  if (typed.length < LEAST_START) {
    throw new AnpError(404, `User ${typed} is not known; the beginning of a token needs ${LEAST_START} characters.`);
  }
  const found = await tokens.startingWith(typed);
  const candidates = new Set(found.map(({ user_id }) => user_id));
  const [only, ...others] = [...candidates].sort();
  if (only === undefined) throw new AnpError(404, "No user of that id is known, and no token that begins so.");
  if (others.length === 0) return only;
  throw new UsageError(
    `USER is ambiguous: tokens of ${[only, ...others].join(", ")} begin so. Type more of the token.`,
  );
}
