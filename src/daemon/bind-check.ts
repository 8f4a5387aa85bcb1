import { createServer } from "node:net";

/** The daemon cannot listen on the address or the port. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** @throws PortError that says why listening on the address or the port fails */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await bindError(host, port);
  if (code === undefined) return;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  throw new PortError(`Cannot listen on ${address}: ${reasonOf(code, host)}`);
}

/** The platform's error code when listening on a host and port fails, as `EADDRINUSE`; undefined when it works. */
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
      return `the name ${host} cannot be resolved (${code})`;
    case "EACCES":
      return "this user may not use the port; use one above 1023, or grant CAP_NET_BIND_SERVICE";
    default:
      return code;
  }
}
