import { createServer } from "node:net";

/** The address or the port cannot be listened on. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** @throws PortError that says why the address or the port cannot be listened on */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await bindError(host, port);
  if (code === undefined) return;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  throw new PortError(`Cannot listen on ${address}: ${reasonOf(code, host)}`);
}

/** Why a host and port cannot be listened on: the platform's code, as `EADDRINUSE`. Undefined when they can. */
export function bindError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

function reasonOf(code: string, host: string): string {
  switch (code) {
    case "EADDRINUSE":
      return "the port is in use";
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name ${host} is not known (${code})`;
    case "EACCES":
      return "this user may not use the port; take one above 1023, or grant the right (CAP_NET_BIND_SERVICE)";
    default:
      return code;
  }
}
