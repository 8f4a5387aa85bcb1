import { once } from "node:events";
import { createServer } from "node:net";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import REASONS from "./bind-reasons.json" with { type: "json" };

/** The daemon cannot listen on the address or the port. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** @throws PortError that says why listening on the address or the port fails */
export async function checkPort(host: string, port: number): Promise<void> {
  const code = await bindError(host, port);
  if (code === undefined) return;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const reason = code in REASONS ? fillTemplate(REASONS[code as keyof typeof REASONS], { host, code }) : code;
  throw new PortError(`Cannot listen on ${address}: ${reason}`);
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
