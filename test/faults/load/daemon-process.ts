import { startDaemon } from "../../support/daemon.ts";
import { OPEN_CODES } from "./ask-service.js";
import { monotonicNow, type Answer, type Asked } from "./history.ts";
import type { Server } from "./server.ts";

/** Longer than any answer may take, ms. */
const PATIENCE_MS = 60_000;

let started = 0;

/** The token of a user under test. */
export function tokenOf(user: string): string {
  return `${user}-token`;
}

/** A real daemon, asked over HTTP. */
export interface DaemonServer extends Server {
  readonly url: string;
}

export async function startDaemonServer(args: readonly string[]): Promise<DaemonServer> {
  // What is tested sends as much as one user never would.
  const unlimited = ["CHAT", "POINTS", "EVENTS"].map((group) => [`ANP_LIMITS_RATES_${group}_REQUESTS`, "0"] as const);
  const daemon = await startDaemon(args, { env: Object.fromEntries(unlimited) });
  return {
    name: `daemon ${++started}`,
    url: daemon.url,
    pid: daemon.child.pid!,
    adjusts: false,
    async ask(asked) {
      const [from, clock] = [monotonicNow(), Date.now()];
      const answer = await askOverHttp(daemon.url, asked);
      return answer && { answer, span: { from, to: monotonicNow(), clock: [clock, Date.now()] } };
    },
    async end(signal) {
      await daemon.end(signal);
    },
  };
}

async function askOverHttp(url: string, asked: Asked): Promise<Answer | undefined> {
  const { kind, ...fields } = asked.request;
  const headers = {
    "x-user-token": tokenOf(asked.user),
    "x-request-id": asked.request_id,
    ...(asked.key === undefined ? {} : { "idempotency-key": asked.key }),
  };
  let response: Response;
  let body: { code: number; message: string; data: Record<string, unknown> };
  try {
    response = await fetch(url + PATHS[kind], {
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(kind === "points" || kind === "ledger"
        ? { headers }
        : {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(fields),
          }),
    });
    body = (await response.json()) as typeof body;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    if (error instanceof Error && error.name === "TimeoutError") return { status: "failed", message: "no answer" };
    throw error;
  }
  if (response.ok) {
    return { status: "done", data: body.data, replayed: response.headers.get("idempotency-replayed") === "true" };
  }
  const { code, message } = body;
  return OPEN_CODES.includes(code) ? { status: "failed", message: `${code}: ${message}` } : { status: "refused", code };
}

const PATHS: Readonly<Record<Asked["request"]["kind"], string>> = {
  chat: "/api/v1/ai/chat/send",
  exchange: "/api/v1/ai/points/exchange",
  trade_reward: "/api/v1/ai/points/trade-reward",
  // Not in the interface: the operator's.
  adjust: "/not-served",
  points: "/api/v1/ai/points",
  ledger: "/api/v1/ai/points/ledger?page=1&page_size=5",
};
