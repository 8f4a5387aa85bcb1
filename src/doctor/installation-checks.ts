import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createQuotaRules } from "../accounts/quota-rules.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { allowedConnections, FEW_CONNECTIONS } from "../daemon/connections.ts";
import { checkTlsFiles, TlsError, tlsFilesOf } from "../daemon/tls-files.ts";
import { openFixture } from "../admin/load-fixture.ts";
import { readLexicon } from "../assistant/lexicon-file.ts";
import { readQuestions } from "../assistant/recommended-questions.ts";
import { readBundledSnapshot } from "../news/hot-topics.ts";
import { DAY_MS } from "../runtime/clock.ts";
import { groupBy } from "../runtime/group-by.ts";
import { idTime } from "../runtime/ids.ts";
import { DEMO, packageFile } from "../runtime/package-file.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const CERTIFICATE_DAYS = 21; // A certificate that expires sooner is a warning, days.

/** Where the configuration comes from, whether it allows more connections than the system, and its TLS files. */
export async function checkConfig({ loaded, now }: CheckInput): Promise<Finding[]> {
  const { tls, max_connections } = loaded.config.server;
  const connections = allowedConnections(max_connections);
  const found = [sources(loaded)];
  if (connections < Math.min(max_connections, FEW_CONNECTIONS))
    found.push(finding("fewFiles", { connections, max_connections }));
  if (tls === undefined) return found;
  try {
    const { validTo } = await checkTlsFiles(tlsFilesOf(tls, loaded.baseDir));
    return [...found, expiryFinding(validTo, now, "certificate")];
  } catch (error) {
    if (!(error instanceof TlsError)) throw error;
    return [...found, finding("certificateUnusable", { reason: error.message })];
  }
}

function sources({ sources: known }: LoadedConfig): Finding {
  const set = [...known].filter(([, source]) => source !== "default");
  if (set.length === 0) return finding("allDefaults");
  const bySource = groupBy(set, ([, source]) => source);
  const named = (keys: typeof set) => (keys.length > 3 ? `${keys.length} keys` : keys.map(([key]) => key).join(", "));
  const parts = Array.from(bySource, ([source, keys]) => `${named(keys)} from ${source}`);
  return finding("sources", { parts: parts.join("; ") });
}

/** @param good the finding about a certificate that does not expire soon */
export function expiryFinding(validTo: string, now: number, good: "certificate" | "servedCertificate"): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const ends = new Date(validTo).toISOString();
  if (days < 0) return finding("certificateExpired", { ends });
  const soon = days === 0 ? "within a day" : days === 1 ? "in 1 day" : `in ${days} days`;
  return finding(days < CERTIFICATE_DAYS ? "certificateExpires" : good, { ends, soon });
}

/** Whether the machine's clock is plausible, and when the free uses reset. */
export function checkClock({ loaded: { config }, now }: CheckInput): Promise<Finding[]> {
  const at = new Date(now).toISOString();
  // Ids hold the time, in 41 bits.
  if (now < idTime(0) || now > idTime(2 ** 53)) return Promise.resolve([finding("wrongClock", { at })]);
  const { next_reset_at } = createQuotaRules(config.quota.timezone).stateOf({ day: "", used: 0 }, 0, now);
  return Promise.resolve([finding("clock", { at, next_reset_at })]);
}

/** The bundled files, and the files that the configuration names besides sources. */
export async function checkFixtures({ loaded, fixture }: CheckInput): Promise<Finding[]> {
  const demo = async (): Promise<void> => {
    const { folder } = await openFixture(DEMO);
    await Promise.all(["users.json", "events.ndjson", "config.yaml"].map((file) => access(join(folder, file))));
  };
  const incomplete = (subject: string) => (reason: string) => finding("incomplete", { subject, reason });
  const found = [
    await tried(readBundledSnapshot(), finding("fallback"), incomplete("fallback")),
    await tried(demo(), finding("demo"), incomplete("demo")),
  ];
  if (fixture !== undefined) found.push(finding("fixture", { name: fixture.name, folder: fixture.folder }));
  const readers = { questions: readQuestions, lexicon: readLexicon };
  for (const name of ["questions", "lexicon"] as const) {
    const file = loaded.config.assistant[name];
    if (file === undefined) continue;
    const path = resolve(loaded.baseDir, file);
    const bad = (reason: string): Finding => finding("badContent", { name, reason });
    found.push(await tried(readers[name](path), finding("content", { name, file }), bad));
  }
  return found;
}

const tried = (reading: Promise<unknown>, good: Finding, bad: (reason: string) => Finding): Promise<Finding> =>
  reading.then(() => good).catch((error: unknown) => bad((error as Error).message));

type Manifest = { readonly version: string; readonly engines: { readonly node: string } };

export async function checkVersions(): Promise<Finding[]> {
  const { version, engines } = JSON.parse(await readFile(packageFile("package.json"), "utf8")) as Manifest;
  const found = process.versions.node;
  const least = engines.node.replace(/^>=\s*/, "");
  const isEnough = found.localeCompare(least, "en", { numeric: true }) >= 0;
  const platform = `${process.platform} ${process.arch}`;
  return [finding("anp", { version }), finding(isEnough ? "node" : "oldNode", { found, least, platform })];
}
