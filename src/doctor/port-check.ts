import type { Config } from "../config/config-schema.ts";
import { PAGE_MS, readDaemonStatus } from "../client/daemon-status.ts";
import { addressOf } from "../client/daemon-url.ts";
import { bindError } from "../daemon/bind-check.ts";
import type { Finding } from "../storage/finding.ts";
import { type CheckInput, finding } from "./check.ts";
import REMEDIES from "./port-remedies.json" with { type: "json" };

/** How long the check may take, ms. */
export const PORT_MS = PAGE_MS + 2000;

/** Whether the daemon's port is free, or which program uses it. */
export async function checkServerPort({ loaded }: CheckInput): Promise<Finding[]> {
  const { host, port } = loaded.config.server;
  if (port === 0) return [finding("anyPort")];
  const address = `${host}:${port}`;
  const code = await bindError(host, port);
  if (code === undefined) return [finding("freePort", { address })];
  if (code === "EADDRINUSE") return [await portOccupant(loaded.config.server)];
  const remedy = code in REMEDIES ? REMEDIES[code as keyof typeof REMEDIES] : REMEDIES.other;
  return [finding("unusablePort", { address, code, remedy })];
}

/** Which program listens on the daemon's port: an anp daemon reports its readiness. */
export async function portOccupant(server: Config["server"]): Promise<Finding> {
  const { state, reason } = await readDaemonStatus({ url: addressOf(server), isOwn: true }, Date.now());
  const name = { ready: "ownDaemon", "not ready": "unreadyDaemon", unreachable: "takenPort" } as const;
  return finding(name[state], { address: `${server.host}:${server.port}`, reason });
}
