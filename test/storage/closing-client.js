// Closes a cluster's client while it asks for the slots, once a line comes on stdin: nothing is left to run for then.
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { connectRedis } from "../../dist/storage/redis/redis-connection.js";
import { parseRedisUrl } from "../../dist/storage/redis/redis-url.js";

const connection = connectRedis(parseRedisUrl(process.argv[2]));
await connection.run(() => connection.client.get("x"));
process.stdout.write("connected\n");
await once(process.stdin, "data");
process.stdin.destroy();
while (!connection.client.isRefreshing) await setTimeout(10);
connection.close();
