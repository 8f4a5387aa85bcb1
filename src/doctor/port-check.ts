import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { bindError } from "../daemon/bind-check.ts";
import { type Check, type DoctorFinding, type CheckInput, failed, ok, warning, withTimeout } from "./check.ts";

/** How long the program that listens there may take to answer, ms. */
const ASKING_MS = 2000;

/** Whether the daemon's port is free, or who has it. */
export function portCheck({ loaded: { config } }: CheckInput): Check {
  const { host, port, tls } = config.server;
  return {
    name: "port",
    bound_ms: ASKING_MS + 2000,
    async run(signal) {
      if (port === 0) return [ok("server.port", "0: a free port is taken at each start.")];
      const code = await bindError(host, port);
      if (code === undefined) return [ok("server.port", `${host}:${port} is free.`)];
      if (code === "EADDRINUSE")
        return [await occupant(tls === undefined ? "http" : "https", host, port, withTimeout(signal, ASKING_MS))];
      return [failed("server.port", `${host}:${port} cannot be listened on: ${code}.`, remedyOf(code))];
    },
  };
}

function remedyOf(code: string): string {
  if (code === "EACCES") return "Take a port above 1023, or give the process the right (CAP_NET_BIND_SERVICE).";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "Let server.host be an address of this machine.";
  return "Correct server.host and server.port.";
}

/** Which program listens there: an anp daemon serves our document and reports its readiness. */
async function occupant(
  scheme: "http" | "https",
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<DoctorFinding> {
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
        "Look at its log and its storage; while it stops, this passes.",
      );
    }
    return ok("server.port", `An anp daemon listens on ${address} and is ready.`);
  } catch {
    return failed(
      "server.port",
      `${address} is in use by another program.`,
      "Stop it, or take another port with server.port or --port.",
    );
  }
}

/** Most of a document that says what is asked here. */
const LONGEST = 4 * 1024 * 1024;

function get(url: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { signal, agent: false as const };
    const hear = (response: IncomingMessage): void => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
        if (body.length > LONGEST) response.destroy(new Error("too long"));
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
      response.on("error", reject);
    };
    const request =
      // It is only identified, and nothing is sent to it: its certificate need not be known.
      url.startsWith("https:")
        ? httpsRequest(url, { ...options, rejectUnauthorized: false }, hear)
        : httpRequest(url, options, hear);
    request.on("error", reject);
    request.end();
  });
}
