import { createServer } from "node:net";

// Below the ports that systems give to outgoing connections, so that no client takes a server's port while the server
// is down; low enough for a cluster's bus, which takes the port 10000 higher.
const FIRST = 12_000;
const COUNT = 10_000;

/** A port of the loopback that nothing listens on, and neither on the one `above` it, where that is asked for. */
export async function freePort(above = 0): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await isFree(port)) && (above === 0 || (await isFree(port + above)))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => {
      resolve(false);
    });
    server.listen(port, "127.0.0.1", () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
