import type { Logger } from "../../runtime/logger.ts";
import { createAccountsService } from "../../service/accounts-service.ts";
import { isLoaded } from "../../admin/load-fixture.ts";
import type { Context } from "../framework/command-context.ts";
import { callsOf, openGround } from "./open-ground.ts";
import type { AccountsOptions, AccountsSession } from "./session.ts";

/** Opens what a command on accounts works on; see `withAccounts`. */
export async function openAccounts(
  context: Context,
  options: AccountsOptions,
  logger: Logger,
): Promise<{ session: AccountsSession; close: () => Promise<void> }> {
  const ground = await openGround(context, options, logger);
  try {
    if (ground.fixture !== undefined && !(await isLoaded(ground.fixture, ground.storage))) {
      const { openSessionOn } = await import("./open-session.ts");
      return await openSessionOn(ground, options);
    }
    const service = createAccountsService(ground);
    return { session: { service, ...callsOf(service, ground.random) }, close: () => service.close() };
  } catch (error) {
    await ground.storage.close();
    throw error;
  }
}
