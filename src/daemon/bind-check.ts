import { once } from "node:events";
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
export async function bindError(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), "listening");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code ?? message;
  }
  await once(server.close(), "close");
  return undefined;
}

function reasonOf(code: string, host: string): string {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is in use",
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `the name ${host} cannot be resolved (${code})`,
    EAI_AGAIN: `the name ${host} cannot be resolved (${code})`,
    EACCES: "this user may not use the port; use one above 1023, or grant CAP_NET_BIND_SERVICE",
  };
  return reasons[code] ?? code;
}
