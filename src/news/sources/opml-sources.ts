import { generateOpml, parseOpml } from "feedsmith";
import type { WrittenSource } from "../../config/edit-sources.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../../language/detect-language.ts";

const MOST_NESTED = 20;
const MORE = { extraOutlineAttributes: ["timezone", "weight"] } as const; // What OPML has no attributes for.
const parse = (opml: string) => parseOpml(opml, MORE).body?.outlines;
type Outline = NonNullable<ReturnType<typeof parse>>[number];

/** The feeds of an OPML document. The outlines that one is nested in are its categories, with those of its own.
 * @param lang of feeds that do not say theirs
 * @returns undefined when it is not OPML */
export function sourcesOfOpml(opml: string, lang: Language): WrittenSource[] | undefined {
  const found: WrittenSource[] = [];
  const walk = (outlines: readonly Partial<Outline>[] = [], above: readonly string[] = []): void => {
    for (const { text = "", title = text, xmlUrl: url, outlines: below, ...outline } of outlines) {
      const { language, category = "", timezone, weight } = outline;
      if (url === undefined && above.length < MOST_NESTED) walk(below, [...above, title]);
      if (url === undefined) continue;
      const own = category.split(/[,/]/).map((name) => name.trim());
      const categories = Array.from(new Set([...above, ...own])).filter((name) => name !== "");
      found.push({
        ...{ id: idOf(title, url), name: title, lang: language === undefined ? lang : nearestLanguage(language), url },
        ...(typeof timezone === "string" && { timezone }),
        ...(categories.length > 0 && { categories }),
        ...(typeof weight === "string" && { weight: Number(weight) }),
      });
    }
  };
  try {
    walk(parse(opml));
  } catch {
    return undefined;
  }
  return found;
}

function idOf(name: string, url: string): string {
  const names = [name, URL.canParse(url) ? new URL(url).hostname : ""];
  const slugs = names.map((text) => text.toLowerCase().match(/[a-z\d.]+/g));
  return (slugs.find((words) => words !== null) ?? ["feed"]).join("-").slice(0, 64);
}

/** An OPML document of feeds. */
export function opmlOf(feeds: readonly (Omit<WrittenSource, "timezone" | "headers"> & { timezone?: string | null })[]) {
  const outlines = feeds.map(({ name, lang: language, url: xmlUrl, categories = [], timezone, weight = 1 }) => ({
    ...{ text: name, title: name, type: "rss", xmlUrl, language },
    ...(categories.length > 0 && { category: categories.join(",") }),
    ...(timezone && { timezone }),
    ...(weight !== 1 && { weight: String(weight) }),
  }));
  return generateOpml({ head: { title: "News sources of anp" }, body: { outlines } }, MORE);
}
