import { printLocation } from "../news/sources/read-source.ts";
import { PROBE_MS, probeOptions, probeSource } from "../news/sources/probe-source.ts";
import { remedyOf, SourceError, type SourceFailure } from "../news/sources/source-error.ts";
import { type Source, sourcesOf } from "../news/sources/sources.ts";
import { batchesOf } from "../runtime/batches.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const CONCURRENCY = 8; // Sources read at once.

/** How long the check may take, ms. */
export function longestSourcesCheck({ loaded: { config } }: CheckInput): number {
  const rounds = Math.max(1, Math.ceil(sourcesOf(config.news).length / CONCURRENCY));
  return rounds * Math.min(config.news.timeout_ms, PROBE_MS) + 5000;
}

/** Whether each news source can be reached and read. */
export async function checkSources({ loaded, now }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { news } = loaded.config;
  const sources = sourcesOf(news);
  if (sources.length === 0) return [finding("noSources")];
  const options = probeOptions(news, { baseDir: loaded.baseDir, now: () => now, signal });
  const findings: Finding[] = [];
  for await (const round of batchesOf(sources, CONCURRENCY)) {
    findings.push(...(await Promise.all(round.map((source) => probe(source, options)))));
  }
  return findings;
}

async function probe(source: Source, options: ReturnType<typeof probeOptions>): Promise<Finding> {
  const place = printLocation(source.location);
  try {
    const { read = 0, refused = 0 } = (await probeSource(source, options)) ?? {};
    const items = read - refused;
    const found = `${place} has ${items} ${items === 1 ? "entry" : "entries"}`;
    if (refused > 0) return finding("refusedEntries", { source: source.id, found, refused });
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
