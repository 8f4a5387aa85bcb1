import type { AccountsService } from "../service/accounts-service.ts";
import { UsageError } from "./exit.ts";

/** A token of ours, or its beginning, long enough to tell it from others. */
const TOKEN = /^anp_[\w-]{4,}$/;
const TOKEN_ID = /^[0-9a-f]{16}$/;

/**
 * The id of the user that was typed: an id, the beginning of one of the user's tokens (`anp_` and 4 characters or more),
 * a token's id or the token itself. A user of that very id goes before any token.
 *
 * @throws AnpError 404 when nobody is meant
 * @throws UsageError when more than one user is
 */
export async function userNamed(
  { users, tokens }: Pick<AccountsService, "users" | "tokens">,
  typed: string,
): Promise<string> {
  if ((await users.get(typed)) !== undefined) return typed;
  const { AnpError } = await import("../contract/errors.ts");
  if (!TOKEN.test(typed) && !TOKEN_ID.test(typed)) throw new AnpError(404, `User ${typed} is not known.`);
  const named = await tokens.find(typed);
  const found = named === undefined && TOKEN.test(typed) ? await tokens.startingWith(typed) : [];
  const candidates = new Set([...(named === undefined ? [] : [named]), ...found].map(({ user_id }) => user_id));
  const [only, ...others] = [...candidates].sort();
  if (only === undefined) throw new AnpError(404, "No user of that id is known, and no token that begins so.");
  if (others.length === 0) return only;
  throw new UsageError(
    `USER is ambiguous: tokens of ${[only, ...others].join(", ")} begin so. Type more of the token.`,
  );
}
