import { Agent, request } from "undici";
import { bindError } from "../daemon/bind-check.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import type { Finding } from "../storage/finding.ts";
import { type CheckInput, finding, withTimeout } from "./check.ts";
import REMEDIES from "./port-remedies.json" with { type: "json" };

/** How long the program that listens there may take to answer, ms. */
const PROBE_MS = 2000;

/** How long the check may take, ms. */
export const PORT_MS = PROBE_MS + 2000;

/** Whether the daemon's port is free, or which program uses it. */
export async function checkServerPort({ loaded }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { host, port, tls } = loaded.config.server;
  if (port === 0) return [finding("anyPort")];
  const address = `${host}:${port}`;
  const code = await bindError(host, port);
  if (code === undefined) return [finding("freePort", { address })];
  if (code === "EADDRINUSE") {
    return [await occupant(tls === undefined ? "http" : "https", host, port, withTimeout(signal, PROBE_MS))];
  }
  const remedy = code in REMEDIES ? REMEDIES[code as keyof typeof REMEDIES] : REMEDIES.other;
  return [finding("unusablePort", { address, code, remedy })];
}

/** Which program listens there: an anp daemon serves our document and reports its readiness. */
async function occupant(scheme: "http" | "https", host: string, port: number, signal: AbortSignal): Promise<Finding> {
  const address = `${host}:${port}`;
  const reached = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const base = `${scheme}://${reached}:${port}`;
  try {
    const title = /"title":\s*"Assistant, News and Points"/;
    const document = await get(`${base}/openapi.json`, signal);
    if (!title.test(document.body)) throw new Error("not ours");
    const ready = await get(`${base}/readyz`, signal);
    return finding(ready.status === 200 ? "ownDaemon" : "unreadyDaemon", { address, body: ready.body.trim() });
  } catch {
    return finding("takenPort", { address });
  }
}

/** Longest body that is read, bytes. */
const MAX_BODY = 4 * 1024 * 1024;

async function get(url: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  // The program is only identified, and no secret is sent to it: its certificate is not verified.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const response = await request(url, { signal, dispatcher, reset: true });
  const body = await readBytes(response.body, MAX_BODY, () => new Error("too long"));
  return { status: response.statusCode, body: body.toString("utf8") };
}
