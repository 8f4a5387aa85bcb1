import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { type Check, type CheckInput, finding, networkReason, timeoutSignal } from "./check.ts";
import { checkClock, checkConfig, checkFixtures, checkVersions, expiryFinding } from "./installation-checks.ts";
import { checkModel, MODEL_MS } from "./model-check.ts";
import { checkPorts, PORT_MS } from "./port-check.ts";
import { checkStorage, readSourceStates, CLOCK_BOUND_MS, seconds } from "./storage-check.ts";
import { printLocation } from "../news/sources/read-source.ts";
import type { Finding } from "../storage/health/finding.ts";
import { PROBE_MS, probeOptions, probeSource } from "../news/sources/probe-source.ts";
import { remedyOf, SourceError, type SourceFailure } from "../news/sources/source-error.ts";
import { type Source, sourcesOf } from "../news/sources/sources.ts";
import { createSourcePacing } from "../news/sources/source-pacing.ts";
import { batchesOf } from "../runtime/batches.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { systemRandom } from "../runtime/random.ts";
import { createClient, RemoteRefusal } from "../client/client.ts";
import { RETRY_POLICY } from "../client/client-retry.ts";
import { type DaemonPages, PAGE_MS, readDaemonStatus } from "../client/daemon-status.ts";
import { pageUrl } from "../client/daemon-url.ts";
import { send } from "../client/transport.ts";
import { openApiText } from "../contract/openapi/openapi-document.ts";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { version } from "../runtime/package-file.ts";

/** All checks, in the order in which they are reported. */
export const allChecks = (input: CheckInput): Check[] => [
  { name: "config", bound_ms: 2000, run: () => checkConfig(input) },
  { name: "storage", bound_ms: 10_000, run: (signal) => checkStorage(input, signal) },
  { name: "clock", bound_ms: 1000, run: () => checkClock(input) },
  { name: "port", bound_ms: PORT_MS, run: () => checkPorts(input) },
  { name: "model", bound_ms: MODEL_MS, run: (signal) => checkModel(input, signal) },
  { name: "platform tokens", bound_ms: KEYS_MS, run: async (signal) => [await checkKeys(input, signal)] },
  { name: "news", bound_ms: longestSourcesCheck(input), run: (signal) => checkSources(input, signal) },
  { name: "fixtures", bound_ms: 2000, run: () => checkFixtures(input) },
  VERSIONS,
];

/** The checks of a running daemon, from outside. */
export const checksOfDaemon = (target: DaemonInput): Check[] => [
  { name: "daemon", bound_ms: 30_000, run: () => checkDaemon(target) },
  VERSIONS,
];

const VERSIONS: Check = { name: "versions", bound_ms: 3000, run: checkVersions };

/** The checks that need no configuration, for one that is not valid: its errors are findings too. */
export function checksWithout(errors: readonly string[]): Check[] {
  const found = errors.map((message) => finding("invalid", { message }));
  return [{ name: "config", bound_ms: 1000, run: () => Promise.resolve(found) }, VERSIONS];
}

const ANSWER_MS = 5000;
const KEYS_MS = ANSWER_MS + 2000; // How long the check may take, ms.

async function checkKeys({ loaded: { config } }: CheckInput, signal: AbortSignal): Promise<Finding> {
  const { jwks_url: url } = config.auth.jwt ?? {};
  if (url === undefined) return finding(config.auth.jwt === undefined ? "noKeys" : "sharedSecret");
  const place = printLocation(url);
  try {
    const response = await fetch(url, { signal: timeoutSignal(signal, ANSWER_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return finding("keysDown", { place, answer: `answers ${response.status}` });
    }
    const { keys } = (await response.json()) as { keys?: unknown };
    if (!Array.isArray(keys)) return finding("wrongKeys", { place, reason: "is not a key set" });
    if (keys.length === 0) return finding("wrongKeys", { place, reason: "has no keys" });
    return finding("keys", { place, count: `${keys.length} ${keys.length === 1 ? "key" : "keys"}` });
  } catch (error) {
    if (error instanceof SyntaxError) return finding("wrongKeys", { place, reason: "is not JSON" });
    return finding("keysDown", { place, answer: `does not answer: ${networkReason(error)}` });
  }
}

const CONCURRENCY = 8; // Sources read at once.

function longestSourcesCheck({ loaded: { config } }: CheckInput): number {
  const rounds = Math.max(1, Math.ceil(sourcesOf(config.news).length / CONCURRENCY));
  return rounds * Math.min(config.news.timeout_ms, PROBE_MS) + 5000;
}

async function checkSources({ loaded, now }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { news } = loaded.config;
  const sources = sourcesOf(news);
  if (sources.length === 0) return [finding("noSources")];
  const options = probeOptions(news, { baseDir: loaded.baseDir, now: () => now, signal });
  const findings: Finding[] = [];
  const pacing = createSourcePacing({ now: () => now }, systemRandom);
  const states = await readSourceStates(loaded);
  const check = async (source: Source): Promise<Finding> => {
    const state = states.find(({ id, url }) => id === source.id && url === printLocation(source.location));
    if (!state || !pacing.isPaused(source.location, state)) return examine(source, options);
    return finding("waitingSource", { source: source.id, until: toIso(state.next_ms!), reason: state.last_error });
  };
  for await (const round of batchesOf(sources, CONCURRENCY)) findings.push(...(await Promise.all(round.map(check))));
  return findings;
}

async function examine(source: Source, options: ReturnType<typeof probeOptions>): Promise<Finding> {
  const place = printLocation(source.location);
  try {
    const { read = 0, refused = 0, faults = [] } = (await probeSource(source, options)) ?? {};
    const items = read - refused;
    const found = `${place} has ${items} ${items === 1 ? "entry" : "entries"}`;
    const wrong = [found, ...(refused > 0 ? [`${refused} more not valid`] : []), ...faults].join("; ");
    if (wrong !== found) return finding("refusedEntries", { source: source.id, wrong });
    // An empty help center may be intended; a feed without entries is usually a mistake.
    if (items === 0 && source.kind === "news") return finding("emptyFeed", { source: source.id, place });
    return finding("source", { source: source.id, found });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { failure, message } = error;
    if (failure === "empty") return finding("emptyFeed", { source: source.id, place });
    // Errors of a file name it already.
    const reason = message.includes(place) ? `${message[0]!.toUpperCase()}${message.slice(1)}` : `${place}: ${message}`;
    const isOutside = OUTSIDE.has(failure);
    return finding(isOutside ? "sourceDown" : "sourceFails", { source: source.id, reason, remedy: remedyOf(error) });
  }
}

const OUTSIDE: ReadonlySet<SourceFailure> = new Set(["timeout", "network", "status", "gone"]);

/** A running daemon, and the caller's token and clock. */
type DaemonInput = DaemonPages & { readonly token?: string | undefined; readonly clock: Clock };

/** Checks a running daemon from outside. */
async function checkDaemon(input: DaemonInput): Promise<Finding[]> {
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
