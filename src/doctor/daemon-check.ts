import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { createClient, RemoteRefusal } from "../client/client.ts";
import { RETRY_POLICY } from "../client/client-retry.ts";
import { type DaemonPages, PAGE_MS, readDaemonStatus } from "../client/daemon-status.ts";
import { pageUrl } from "../client/daemon-url.ts";
import { send } from "../client/transport.ts";
import { openApiText } from "../contract/openapi/openapi-document.ts";
import type { Clock } from "../runtime/clock.ts";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { version } from "../runtime/package-file.ts";
import type { Finding } from "../storage/health/finding.ts";
import { expiryFinding } from "./installation-checks.ts";
import { finding } from "./check.ts";
import { CLOCK_BOUND_MS, seconds } from "./storage-check.ts";

/** A running daemon, and the caller's token and clock. */
export type DaemonInput = DaemonPages & { readonly token?: string | undefined; readonly clock: Clock };

/** Checks a running daemon from outside. */
export async function checkDaemon(input: DaemonInput): Promise<Finding[]> {
  const now = input.clock.now();
  const [status, tls] = await Promise.all([readDaemonStatus(input, now), certificateFinding(new URL(input.url), now)]);
  const { url, state, reason, metrics_url, metrics_error } = status;
  if (state === "unreachable") return [...tls, finding("notReached", { reason })];
  return [
    finding("reached", { url }),
    ...tls,
    finding(state === "ready" ? "ready" : "notReady", { reason }),
    finding(metrics_error === null ? "metrics" : "noMetrics", { metrics_url, metrics_error }),
    ...(await Promise.all([checkDocument(input), checkAccess(input)])).flat(),
  ];
}

/** When the certificate that is served expires. An untrusted certificate shows as an unreachable daemon. */
async function certificateFinding({ protocol, hostname, port }: URL, now: number): Promise<Finding[]> {
  if (protocol !== "https:") return [];
  const host = hostname.replace(/^\[|\]$/g, "");
  const servername = isIP(host) === 0 ? host : "";
  const socket = connect({ host, port: Number(port || 443), servername, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(PAGE_MS) });
    return [expiryFinding(socket.getPeerCertificate().valid_to, now, "servedCertificate")];
  } catch {
    return []; // The finding about the unreachable daemon has the reason.
  } finally {
    socket.destroy();
  }
}

async function checkDocument({ url, clock }: DaemonInput): Promise<Finding[]> {
  const asked = { method: "GET", url: pageUrl(url, "/openapi.json"), headers: { "user-agent": "anp" } };
  try {
    const { status, headers, text } = await send(asked, PAGE_MS);
    if (status !== 200) return [finding("noDocument", { reason: `status ${status}.` })];
    const document = JSON.parse(text, withoutCeilings) as { info?: { version?: string } };
    const theirs = document.info?.version ?? "unknown";
    const ours: unknown = JSON.parse(openApiText(), withoutCeilings);
    const isSame = JSON.stringify(document) === JSON.stringify(ours);
    const hash = `SHA-256 ${sha256(text).slice(0, 12)}`;
    const ahead = Date.parse(headers["date"] ?? "") + 500 - clock.now(); // The header is truncated to the second.
    const direction = ahead > 0 ? "ahead of" : "behind";
    return [
      finding(theirs === version() ? "sameVersion" : "otherVersion", { theirs, ours: version() }),
      finding(isSame ? "sameDocument" : "otherDocument", { hash }),
      finding(Math.abs(ahead) > CLOCK_BOUND_MS ? "otherClock" : "sameClock", { seconds: seconds(ahead), direction }),
    ];
  } catch (error) {
    return [finding("noDocument", { reason: (error as Error).message })];
  }
}

/** Leaves out the bounds that the configuration of a daemon sets. */
const withoutCeilings = (key: string, value: unknown): unknown =>
  key === "token_amount" || key === "volume_usd" ? { ...(value as object), maximum: undefined } : value;

async function checkAccess({ url, token }: DaemonInput): Promise<Finding[]> {
  const retry = { ...RETRY_POLICY, retries: 0 };
  const anonymous = createClient({ url, retry });
  const tried = <T>(call: Promise<T>): Promise<T | Error> => call.catch((error: unknown) => error as Error);
  const [news, refused, mine] = await Promise.all([
    tried(anonymous("getNewsHot", { query: { limit: 1 } })),
    tried(anonymous("getMe")),
    token === undefined ? undefined : tried(createClient({ url, retry, token })("getMe")),
  ]);
  const reason = refused instanceof Error ? refused.message : "it is answered.";
  const found = [
    news instanceof Error ? finding("noAnonymousRead", { reason: news.message }) : finding("anonymousRead"),
    refused instanceof RemoteRefusal && refused.code === 401 ? finding("guarded") : finding("unguarded", { reason }),
  ];
  if (mine instanceof Error) found.push(finding("refusedToken", { reason: mine.message }));
  else if (mine !== undefined) found.push(finding("token", { user: mine.data.user_id }));
  return found;
}
