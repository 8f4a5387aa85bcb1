import { NO_VALIDATORS, printLocation, type ReaderOptions, readSource } from "../news/sources/read-source.ts";
import { parseSource } from "../news/sources/parse-source.ts";
import { remedyOf, SourceError, type SourceFailure } from "../news/sources/source-error.ts";
import { createSourceFetch } from "../news/sources/public-fetch.ts";
import { type Source, sourcesOf } from "../news/sources/sources.ts";
import { batchesOf } from "../runtime/batches.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const CONCURRENCY = 8; // Sources read at once, as a refresh does.
const LONGEST_MS = 10_000; // Longest wait for one source, ms, even if the configuration allows a refresh more.

/** How long the check may take, ms. */
export function longestSourcesCheck({ loaded: { config } }: CheckInput): number {
  const rounds = Math.max(1, Math.ceil(sourcesOf(config.news).length / CONCURRENCY));
  return rounds * Math.min(config.news.timeout_ms, LONGEST_MS) + 5000;
}

/** Whether each news source can be reached and read. */
export async function checkSources({ loaded, now }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { news } = loaded.config;
  const sources = sourcesOf(news);
  if (sources.length === 0) return [finding("noSources")];
  const timeoutMs = Math.min(news.timeout_ms, LONGEST_MS);
  const fetch = createSourceFetch(news.contact);
  const reader = { baseDir: loaded.baseDir, timeoutMs, maxBytes: news.max_bytes, fetch, now: () => now, signal };
  const findings: Finding[] = [];
  for await (const round of batchesOf(sources, CONCURRENCY)) {
    findings.push(...(await Promise.all(round.map((source) => probe(source, reader, now)))));
  }
  return findings;
}

async function probe(source: Source, reader: ReaderOptions, now: number): Promise<Finding> {
  const place = printLocation(source.location);
  try {
    // Without validators a server has nothing to compare with: one that answers "not modified" all the same sends nothing.
    const reading = await readSource(source, NO_VALIDATORS, reader);
    const content = reading && (await parseSource({ source, now, day: now, ...reading }));
    const entries = content === undefined ? [] : content.kind === "fear_greed" ? [content.index] : content.entries;
    const [items, refused] = [entries.length, content?.refused ?? 0];
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
