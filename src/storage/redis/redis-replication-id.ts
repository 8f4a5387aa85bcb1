import type { Redis } from "ioredis";

const CHECK_EVERY_MS = 1000;

/**
 * Watches whose data one server has. One that becomes a replica and a primary again keeps its connections open, and has
 * the data of the other one; the id of its replication history shows it.
 *
 * @returns checks the id, at most once a second; `changed` is called before what is sent after that is answered
 * @see https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
 */
export function watchReplicationId(client: Redis, changed: () => void): () => void {
  let id: string | undefined;
  let checkedAt = -Infinity;

  client.on("close", () => {
    id = undefined;
    checkedAt = -Infinity;
  });

  return () => {
    if (performance.now() < checkedAt + CHECK_EVERY_MS) return;
    checkedAt = performance.now();
    client.info("replication").then(
      (info) => {
        const found = /^master_replid:(\S+)/m.exec(info)?.[1];
        if (id !== undefined && found !== id) changed();
        id = found;
      },
      (error: unknown) => {
        // A server that does not allow it now will not later; a lost one is noticed by the other commands.
        if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) checkedAt = Infinity;
      },
    );
  };
}
