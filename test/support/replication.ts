import type { RedisServer } from "./redis-server.ts";
import { until } from "./until.ts";

/** Waits until a replica has what its primary has now. `WAIT` counts only what its own connection wrote. */
export async function inStep(primary: RedisServer, replica: RedisServer): Promise<void> {
  const info = async (server: RedisServer): Promise<string> => String(await server.command("INFO", "replication"));
  const offset = (text: string, name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1]);
  const enough = offset(await info(primary), "master_repl_offset");
  await until("the replica was in step", async () => {
    const followed = await info(replica);
    return followed.includes("master_link_status:up") && offset(followed, "slave_repl_offset") >= enough;
  });
}
