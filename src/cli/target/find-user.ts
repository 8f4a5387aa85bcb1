import type { AccountsService } from "../../service/accounts-service.ts";
import { UsageError } from "../framework/exit.ts";

/** The help text of a USER that may be named by a token; see `findUsers` for the bound. */
export const USER_OR_TOKEN = "id of the user, a token, or the first 8 characters or more of one that begins with anp_";

/**
 * The id of the one user that was typed; see `findUsers`.
 *
 * @throws AnpError 404 when there is none
 * @throws UsageError when there is more than one
 */
export async function findUser(service: Pick<AccountsService, "users" | "tokens">, typed: string): Promise<string> {
  const { findUsers } = await import("../../admin/find-users.ts");
  const [user, ...others] = await findUsers(service, typed);
  if (others.length === 0) return user;
  throw new UsageError(
    `USER is ambiguous: tokens of ${[user, ...others].join(", ")} begin with it. Type more of the token.`,
  );
}
