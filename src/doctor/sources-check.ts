import { printLocation, type ReaderOptions } from "../news/sources/fetch-source.ts";
import { probeSource } from "../news/sources/probe-source.ts";
import { SourceError, type SourceFailure } from "../news/sources/source-error.ts";
import { mapBounded, type Source, sourcesOf } from "../news/sources/sources.ts";
import { type Check, type DoctorFinding, type CheckInput, failed, ok, unreachable, warning } from "./check.ts";

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
      const reader = { baseDir: loaded.baseDir, timeoutMs, maxBytes: news.max_bytes, fetch, signal };
      return mapBounded(sources, CONCURRENCY, (source) => probe(source, reader, now));
    },
  };
}

async function probe(source: Source, reader: ReaderOptions, now: number): Promise<DoctorFinding> {
  const place = printLocation(source.location);
  try {
    const { items, refused } = await probeSource(source, reader, now);
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

const OUTSIDE: ReadonlySet<SourceFailure> = new Set(["timeout", "network", "status"]);

const REMEDIES: Readonly<Record<SourceFailure, string>> = {
  timeout: "Raise news.timeout_ms, or use another source; until then its last good content is used.",
  network: "Check the URL, and that this machine can reach it; until then its last good content is used.",
  status: "Check the URL; where it needs a login, write it as https://USER:PASSWORD@HOST/….",
  redirect: "Use the URL that it redirects to.",
  too_large: "Raise news.max_bytes, or use a shorter feed.",
  not_found: "Correct the path: it is relative to the configuration file.",
  unreadable: "Allow this user to read the file.",
  not_a_feed: "Check that the URL is that of an RSS, Atom or JSON feed, not of a page.",
  invalid: "Give the file the form of those in fixtures/demo.",
};
