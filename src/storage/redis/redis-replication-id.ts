import type { Redis } from "ioredis";

const ASK_AFTER_MS = 1000;

/**
 * Watches whose data one server has. One that is made a replica and a primary again keeps its connections open, and has
 * what the other one had; the id of its replication history tells.
 *
 * @returns asks the server, at most once a second; `changed` is called before what is sent after that is answered
 * @see https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
 */
export function watchHistory(client: Redis, changed: () => void): () => void {
  let history: string | undefined;
  let askedAt = -Infinity;

  client.on("close", () => {
    history = undefined;
    askedAt = -Infinity;
  });

  return () => {
    if (performance.now() < askedAt + ASK_AFTER_MS) return;
    askedAt = performance.now();
    client.info("replication").then(
      (info) => {
        const found = /^master_replid:(\S+)/m.exec(info)?.[1];
        if (history !== undefined && found !== history) changed();
        history = found;
      },
      (error: unknown) => {
        // A server that does not tell will not tell later; a lost one is noticed by what is asked of it besides.
        if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) askedAt = Infinity;
      },
    );
  };
}
