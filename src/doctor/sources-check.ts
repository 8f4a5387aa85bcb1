import { NO_VALIDATORS, printLocation, type ReaderOptions, readSource } from "../news/sources/read-source.ts";
import { parseSource } from "../news/sources/parse-source.ts";
import { SourceError, type SourceFailure } from "../news/sources/source-error.ts";
import { createSourceFetch } from "../news/sources/public-fetch.ts";
import { type Source, sourcesOf } from "../news/sources/sources.ts";
import { batchesOf } from "../runtime/batches.ts";
import { failed, type Finding, ok, unreachable, warning } from "../storage/finding.ts";
import type { Check, CheckInput } from "./check.ts";

/** Sources read at once, as a refresh does. */
const CONCURRENCY = 8;
/** Longest wait for one source, ms, even if the configuration allows a refresh more. */
const LONGEST_MS = 10_000;

/** Whether each news source can be reached and read. */
export function sourcesCheck({ loaded, now }: CheckInput): Check {
  const { news } = loaded.config;
  const sources = sourcesOf(news);
  const timeoutMs = Math.min(news.timeout_ms, LONGEST_MS);
  const rounds = Math.max(1, Math.ceil(sources.length / CONCURRENCY));
  return {
    name: "news",
    bound_ms: rounds * timeoutMs + 5000,
    async run(signal) {
      if (sources.length === 0) {
        return [warning("sources", "No news source is configured.", "List feeds in news.sources.")];
      }
      const fetch = createSourceFetch(news.contact);
      const reader = { baseDir: loaded.baseDir, timeoutMs, maxBytes: news.max_bytes, fetch, now: () => now, signal };
      const findings: Finding[] = [];
      for await (const round of batchesOf(sources, CONCURRENCY)) {
        findings.push(...(await Promise.all(round.map((source) => probe(source, reader, now)))));
      }
      return findings;
    },
  };
}

/** Reads a source once, as a refresh would, and keeps nothing. */
async function probe(source: Source, reader: ReaderOptions, now: number): Promise<Finding> {
  const place = printLocation(source.location);
  try {
    const { location, allowPrivate = false } = source;
    // Without validators a server has nothing to compare with: one that answers "not modified" all the same sends nothing.
    const reading = await readSource(location, NO_VALIDATORS, { ...reader, allowPrivate });
    const content = reading && (await parseSource({ source, now, day: now, ...reading }));
    const entries = content === undefined ? [] : content.kind === "fear_greed" ? [content.index] : content.entries;
    const [items, refused] = [entries.length, content?.refused ?? 0];
    const found = `${place} has ${items} ${items === 1 ? "entry" : "entries"}`;
    if (refused > 0) {
      return warning(
        source.id,
        `${found}; ${refused} more are not valid and are left out.`,
        "Correct them at the source.",
      );
    }
    // An empty help center may be intended; a feed without entries is usually a mistake.
    if (items === 0 && source.kind === "news") {
      return warning(source.id, `${place} is empty.`, "Check that it is the right feed.");
    }
    return ok(source.id, `${found}.`);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const find = OUTSIDE.has(error.failure) ? unreachable : failed;
    const { message } = error;
    // Errors of a file name it already.
    const named = message.includes(place) ? `${message[0]!.toUpperCase()}${message.slice(1)}` : `${place}: ${message}`;
    return find(source.id, `${named}.`, REMEDIES[error.failure]);
  }
}

const OUTSIDE: ReadonlySet<SourceFailure> = new Set(["timeout", "network", "status", "gone"]);

const REMEDIES: Readonly<Record<SourceFailure, string>> = {
  timeout: "Raise news.timeout_ms, or use another source; until then its last good content is used.",
  network: "Check the URL, and that this machine can reach it; until then its last good content is used.",
  address: "Check the URL; for a server of the own network, set allow_private of the source.",
  gone: "Remove the source, or use its new URL.",
  status: "Check the URL; where it needs a login, write it as https://USER:PASSWORD@HOST/….",
  redirect: "Use the URL that it redirects to.",
  too_large: "Raise news.max_bytes, or use a shorter feed.",
  not_found: "Correct the path: it is relative to the configuration file.",
  unreadable: "Allow this user to read the file.",
  too_costly: "Use another source: this one cannot be read within the limits.",
  not_a_feed: "Check that the URL is that of an RSS, Atom or JSON feed, not of a page.",
  invalid: "Give the file the form of those in fixtures/demo.",
};
