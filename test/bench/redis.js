import { spawnSync } from "node:child_process";
import { freePort, start, stop } from "./processes.js";

/** A Redis on a free port; undefined where none is installed.
 * @param fsync when it syncs its append-only file, as `always`; without it nothing is kept on disk */
export async function startRedis(folder, fsync) {
  if (spawnSync("redis-server", ["--version"]).error !== undefined) return undefined;
  const port = await freePort();
  const kept = fsync === undefined ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", fsync];
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...kept];
  const { child } = await start("redis-server", words, /Ready to accept connections/);
  return { port, url: `redis://127.0.0.1:${port}/0`, pid: child.pid, stop: () => stop(child) };
}
