import type { NewsConfig } from "../../config/news-config.ts";
import { plainLine } from "../../language/plain-text.ts";
import { DAY_MS, toIso } from "../../runtime/clock.ts";
import { decodeSource } from "./decode-text.ts";
import { countsOf, parseSource } from "./parse-source.ts";
import { createSourceFetch } from "./public-fetch.ts";
import { NO_VALIDATORS, type ReaderOptions, readSource } from "./read-source.ts";
import type { Source } from "./sources.ts";

const HEAD = 20_000; // Characters searched for the title.
const TITLE = /(?:<title\b[^<>]{0,200}>|"title"\s{0,9}:\s{0,9}")([^]{0,300}?)(?:<\/title|")/i;
const FORMATS: Readonly<Record<string, string>> = { rss: "RSS", feed: "Atom", rdf: "RDF", channel: "CDF" };
/** Maximum wait for one source, ms, even if the configured timeout of a refresh is longer. */
export const PROBE_MS = 10_000;

/** How {@link probeSource} reads the sources of a configuration. */
export function probeOptions(config: NewsConfig, about: Pick<ReaderOptions, "baseDir" | "now" | "signal">) {
  const { max_bytes: maxBytes, contact, max_age_days } = config;
  const timeoutMs = Math.min(config.timeout_ms, PROBE_MS);
  return { ...about, timeoutMs, maxBytes, max_age_days, fetch: createSourceFetch(contact) };
}

/** Reads and parses a source now, as a refresh would.
 * @returns undefined when the server answers "not modified" although no validators were sent @throws SourceError */
export async function probeSource(source: Source, options: ReturnType<typeof probeOptions>) {
  const reading = await readSource(source, NO_VALIDATORS, options);
  if (reading === undefined) return undefined;
  const now = options.now();
  const content = await parseSource({ source, now, day: now, ...reading });
  const { text, charset } = await decodeSource(reading.bytes, reading.contentType);
  const head = text.slice(0, HEAD);
  const dates =
    content.kind === "news" ? content.entries.flatMap((entry) => (entry.dated ? entry.published_ms : [])) : [];
  const newest = Math.max(...dates); // The spread is safe: a feed has a bounded number of entries.
  const old = dates.filter((at) => at < now - options.max_age_days * DAY_MS).length;
  const { kept, ...counts } = countsOf(content);
  return {
    status: reading.status ?? null,
    format: FORMATS[/<(?:[\w-]+:)?(rss|feed|rdf|channel)(?=[\s>:])/i.exec(head)?.[1]?.toLowerCase() ?? ""] ?? "JSON",
    title: plainLine(TITLE.exec(head)?.[1] ?? ""),
    ...{ charset, ...counts, old, kept: kept - old },
    newest_at: newest > -Infinity ? toIso(newest) : null,
    ...(content.faults.length > 0 && { faults: content.faults }),
  };
}
