import { isAdminAddress, PAGE_MS, readDaemonStatus } from "../client/daemon-status.ts";
import { addressOf } from "../client/daemon-url.ts";
import { addressesOf, bindError, type Listening } from "../daemon/bind-check.ts";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";
import REMEDIES from "./port-remedies.json" with { type: "json" };

/** How long the check may take, ms. */
export const PORT_MS = PAGE_MS + 2000;

/** Whether the ports of the API, of the admin address and of the metrics are free, or which programs use them. */
export const checkPorts = ({ loaded }: CheckInput) => Promise.all(addressesOf(loaded.config).map(checkPort));

async function checkPort(place: Listening): Promise<Finding> {
  const { section, host, port } = place;
  if (port === 0) return finding("anyPort", { section });
  const address = `${host}:${port}`;
  const code = await bindError(host, port);
  if (code === undefined) return finding("freePort", { section, address });
  if (code === "EADDRINUSE") return portOccupant(place);
  const remedy = fillTemplate(code in REMEDIES ? REMEDIES[code as keyof typeof REMEDIES] : REMEDIES.other, { section });
  return finding("unusablePort", { section, address, code, remedy });
}

/** Which program listens on the port: an anp daemon reports its readiness. */
export async function portOccupant(place: Listening): Promise<Finding> {
  const { section, host, port } = place;
  const values = { section, address: `${host}:${port}`, flag: section === "server" ? " or --port" : "" };
  const url = addressOf(place);
  if (section === "admin") return finding((await isAdminAddress(url)) ? "ownAdmin" : "takenPort", values);
  const { state, reason, version } = await readDaemonStatus({ url, isOwn: true }, Date.now());
  if (section === "metrics") return finding(version === null ? "takenPort" : "ownMetrics", values);
  const unready = reason?.startsWith("another storage") === true ? "lostStorage" : "unreadyDaemon";
  const name = { ready: "ownDaemon", "not ready": unready, unreachable: "takenPort" } as const;
  return finding(name[state], { ...values, reason });
}
