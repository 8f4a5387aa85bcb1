import type { AccountsService } from "../service/accounts-service.ts";

/**
 * The ids of all users, sorted, or only the given one.
 *
 * @throws AnpError 404 when the given user is not known
 */
export async function knownUsers(service: AccountsService, user: string | undefined): Promise<string[]> {
  if (user !== undefined) {
    await service.userStates.of(user);
    return [user];
  }
  const ids: string[] = [];
  for await (const { user_id } of service.users.list()) ids.push(user_id);
  return ids.sort();
}
