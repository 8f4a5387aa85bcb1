import type { z } from "zod";
import type { coverage as coverageSchema } from "../../contract/schemas/news-schemas.ts";
import { language } from "../../contract/schemas/shared-fields.ts";
import type { SourceState } from "./snapshot-document.ts";
import type { Source } from "../sources/sources.ts";
import type { Parts } from "../items/stored-items.ts";

export type Coverage = z.infer<typeof coverageSchema>;

/**
 * Items per kind and language. A language is `unknown` when it could not be listed and nothing is left from an earlier
 * listing. Zero means that it was listed, or is not configured, and has no entries.
 */
export function coverageOf(parts: Parts, sources: readonly Source[], states: readonly SourceState[]): Coverage {
  const neverListed = new Set(states.filter(({ last_ok_ms }) => last_ok_ms === null).map(({ id }) => id));
  const kinds = { news: parts.items, notice: parts.notices, help: parts.help };
  const result: Coverage = {};
  for (const kind of ["news", "notice", "help"] as const) {
    const counts: Record<string, number | "unknown"> = Object.fromEntries(language.options.map((lang) => [lang, 0]));
    for (const { lang } of kinds[kind]) counts[lang] = Number(counts[lang] ?? 0) + 1;
    for (const lang of language.options) {
      const isUnlisted = sources.some(
        (source) => source.kind === kind && (source.lang ?? lang) === lang && neverListed.has(source.id),
      );
      if (isUnlisted && counts[lang] === 0) counts[lang] = "unknown";
    }
    result[kind] = counts;
  }
  return result;
}
