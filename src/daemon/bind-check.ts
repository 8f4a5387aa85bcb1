import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "../config/config-schema.ts";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import REASONS from "./bind-reasons.json" with { type: "json" };

/** An address that the daemon listens on, by the section of the configuration that names it. */
export type Listening = ReturnType<typeof addressesOf>[number];

/** The configured addresses of the API, the admin address and the metrics. */
export function addressesOf({ server, admin, metrics }: Config) {
  const metricsPort = metrics.enabled ? metrics.port : undefined;
  return [
    { section: "server" as const, host: server.host, port: server.port, tls: server.tls },
    { section: "admin" as const, host: admin.host, port: admin.port, tls: server.tls },
    { section: "metrics" as const, host: metrics.host, port: metricsPort, tls: undefined },
  ].flatMap(({ port, ...place }) => (port === undefined ? [] : { ...place, port }));
}

/** The daemon cannot listen on the address or the port. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** @throws PortError that says why listening fails @param section of the configuration that names the address */
export async function checkPort(host: string, port: number, section?: string): Promise<void> {
  const code = await bindError(host, port);
  if (code === undefined) return;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const reason = code in REASONS ? fillTemplate(REASONS[code as keyof typeof REASONS], { host, code }) : code;
  const keys = section === undefined ? "" : ` (${section}.host, ${section}.port)`;
  throw new PortError(`Cannot listen on ${address}${keys}: ${reason}`);
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
