import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";

/** A Redis on a free port that keeps nothing on disk; undefined where none is installed. */
export async function startRedis(folder) {
  if (spawnSync("redis-server", ["--version"]).error !== undefined) return undefined;
  const port = await freePort();
  const words = ["--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", words.map(String), { stdio: "pipe" });
  await new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("redis-server ended before it was ready")));
    child.stdout.on("data", (chunk) => {
      if (String(chunk).includes("Ready to accept connections")) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}/0`,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGKILL");
      }),
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
