import { INDEXED_CHARACTERS, SECRET_CHARACTERS } from "../accounts/tokens.ts";
import { type OnDamage, skipUsers } from "../accounts/users.ts";
import { AnpError, UnknownUserError } from "../contract/errors.ts";
import { collect } from "../runtime/batches.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import type { Skip } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage.ts";

const TOKEN_PREFIX = "anp_";
const MIN_TOKEN_START = TOKEN_PREFIX.length + 4; // Enough to search by.

/** The ids of the users that a text names: a user's id, a whole token of any kind, a token's id, or the beginning of a
 * token of ours (`anp_` and 4 characters or more). A user id takes precedence. Only a beginning may name several.
 * @param onCut called with how many characters were compared, where more were given: the others are not stored
 * @throws AnpError 404 when it names none */
export async function findUsers(
  { users, tokens }: Pick<AccountsService, "users" | "tokens">,
  text: string,
  onCut?: (compared: number) => void,
): Promise<[string, ...string[]]> {
  if ((await users.get(text)) !== undefined) return [text];
  const token = await tokens.find(text);
  if (token !== undefined) return [token.user_id];
  if (!text.startsWith(TOKEN_PREFIX)) throw new UnknownUserError(text);
  if (text.length < MIN_TOKEN_START) {
    const need = `the beginning of a token needs ${MIN_TOKEN_START} characters`;
    throw new AnpError(404, `User ${text} is not known; ${need}.`);
  }
  const [first, ...others] = [...new Set((await tokens.startingWith(text)).map(({ user_id }) => user_id))].sort();
  if (first === undefined) throw new AnpError(404, "No known user has this id, or a token that begins like this.");
  if (text.length >= TOKEN_PREFIX.length + SECRET_CHARACTERS)
    throw new AnpError(404, `What was given begins as a token of ${[first, ...others].join(" or ")}, but is not it.`);
  const compared = TOKEN_PREFIX.length + INDEXED_CHARACTERS;
  if (text.length > compared) onCut?.(compared);
  return [first, ...others];
}

/** The ids of all users, sorted, or only the given one. @throws AnpError 404 when the given user is not known */
export async function knownUsers(service: AccountsService, user: string | undefined, skip: Skip): Promise<string[]> {
  if (user !== undefined) {
    await service.userStates.of(user);
    return [user];
  }
  return [...new Set(await collect(service.users.ids(skip)))].sort();
}

/** Reads something of each user, or of the given one: `of(service.ledger.entries)`.
 * @param onDamage called for each user with damage; the rest of this user is left out
 * @throws AnpError 404 when the given user is not known */
export async function userReader(service: AccountsService, user: string | undefined, onDamage: OnDamage) {
  const users = await knownUsers(service, user, skipUsers(onDamage));
  return async function* <T>(read: (user: string) => AsyncIterable<T>): AsyncGenerator<T> {
    for (const id of users) {
      try {
        yield* read(id);
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        onDamage(`${id}: ${error.message}`);
      }
    }
  };
}
