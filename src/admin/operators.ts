import type { TokenRow } from "../accounts/tokens.ts";
import { collect } from "../runtime/batches.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { decodeSegment } from "../storage/keys.ts";

/** A token of an operator, without its secret. */
export type OperatorRow = Omit<TokenRow, "user_id"> & { readonly operator: string };

/** The tokens of all operators, by name, also expired and revoked ones. */
export async function listOperators(service: AccountsService): Promise<OperatorRow[]> {
  const segments = await collect(service.storage.children(["operators", "users"]));
  const names = segments.map((segment) => decodeSegment(segment)!); // A name is short: its key is never a digest.
  return (await Promise.all(names.sort().map((name) => operatorTokens(service, name)))).flat();
}

/** The tokens of one operator. */
export const operatorTokens = async ({ operators }: AccountsService, name: string): Promise<OperatorRow[]> =>
  (await operators.list(name)).map(({ user_id: operator, ...token }) => ({ operator, ...token }));
