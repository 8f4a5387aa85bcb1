import { Agent, request } from "undici";
import { bindError } from "../daemon/bind-check.ts";
import { failed, type Finding, ok, warning } from "../storage/finding.ts";
import { type Check, type CheckInput, withTimeout } from "./check.ts";

/** How long the program that listens there may take to answer, ms. */
const PROBE_MS = 2000;

/** Whether the daemon's port is free, or which program uses it. */
export function portCheck({ loaded: { config } }: CheckInput): Check {
  const { host, port, tls } = config.server;
  return {
    name: "port",
    bound_ms: PROBE_MS + 2000,
    async run(signal) {
      if (port === 0) return [ok("server.port", "0: each start uses a free port.")];
      const code = await bindError(host, port);
      if (code === undefined) return [ok("server.port", `${host}:${port} is free.`)];
      if (code === "EADDRINUSE")
        return [await occupant(tls === undefined ? "http" : "https", host, port, withTimeout(signal, PROBE_MS))];
      return [failed("server.port", `${host}:${port} cannot be listened on: ${code}.`, remedyOf(code))];
    },
  };
}

function remedyOf(code: string): string {
  if (code === "EACCES") return "Use a port above 1023, or grant the process CAP_NET_BIND_SERVICE.";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "Set server.host to an address of this machine.";
  return "Correct server.host and server.port.";
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
    if (ready.status !== 200) {
      return warning(
        "server.port",
        `An anp daemon listens on ${address} and is not ready: ${ready.body.trim()}.`,
        "Look at its log and its storage. A daemon that is stopping is not ready either.",
      );
    }
    return ok("server.port", `An anp daemon listens on ${address} and is ready.`);
  } catch {
    return failed(
      "server.port",
      `${address} is in use by another program.`,
      "Stop it, or use another port: server.port or --port.",
    );
  }
}

/** Longest body that is read, characters. */
const MAX_BODY = 4 * 1024 * 1024;

async function get(url: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  // The program is only identified, and no secret is sent to it: its certificate is not verified.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const response = await request(url, { signal, dispatcher, reset: true });
  response.body.setEncoding("utf8");
  let body = "";
  for await (const text of response.body) {
    body += String(text);
    if (body.length > MAX_BODY) throw new Error("too long");
  }
  return { status: response.statusCode, body };
}
