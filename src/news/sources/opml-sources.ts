import { generateOpml, parseOpml } from "feedsmith";
import type { SourceInput } from "../../config/edit-sources.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../../language/detect-language.ts";

const MAX_DEPTH = 20;
const MORE = { extraOutlineAttributes: ["id", "timezone", "weight", "allow_private"] } as const; // Not in OPML.
const parse = (opml: string) => parseOpml(opml, MORE).body?.outlines;
type Outline = NonNullable<ReturnType<typeof parse>>[number];

/** The feeds of an OPML document. A feed's categories are the names of its enclosing outlines and its own ones.
 * @param lang language of feeds that declare none
 * @param taken other sources; an outline keeps a valid id of its own; without one, a name's second site gets its host
 * @returns undefined when it is not OPML */
export function sourcesOfOpml(opml: string, lang: Language, taken: SourceInput[] = []): SourceInput[] | undefined {
  let outlines: Flat[];
  try {
    outlines = flattened(parse(opml) ?? []);
  } catch {
    return undefined;
  }
  const known = [...taken];
  const ids = new Set(known.map(({ id }) => id));
  return outlines.flatMap(({ above, name: given, xmlUrl: url, ...outline }): SourceInput[] => {
    const { id, language, category = "", timezone, weight, allow_private } = outline;
    if (url === undefined) return [];
    const isTaken = id === undefined && known.some((one) => one.name === given && siteOf(one.url) !== siteOf(url));
    const name = isTaken ? `${given} (${hostOf(url)})` : given;
    const own = category.split(/[,/]/).map((one) => one.trim().replace(/%2[cf5]/gi, decodeURIComponent));
    const categories = Array.from(new Set([...above, ...own])).filter((one) => one !== "");
    const ownId = typeof id === "string" && /^[\w.-]{1,64}$/.test(id) && !ids.has(id) ? id : idOf(name, url, ids);
    ids.add(ownId);
    const source: SourceInput = {
      ...{ id: ownId, name, lang: language === undefined ? lang : nearestLanguage(language), url },
      ...(typeof timezone === "string" && { timezone }),
      ...(categories.length > 0 && { categories }),
      ...(typeof weight === "string" && { weight: Number(weight) }),
      ...(allow_private === "true" && { allow_private: true }),
    };
    known.push(source);
    return [source];
  });
}

/** All outlines in document order, each with the names of its enclosing ones. */
function flattened(outlines: readonly Partial<Outline>[], above: readonly string[] = []): Flat[] {
  return outlines.flatMap(({ outlines: below = [], ...outline }) => {
    const name = outline.title?.trim() || outline.text?.trim() || hostOf(outline.xmlUrl);
    const nested = above.length < MAX_DEPTH ? flattened(below, [...above, name]) : [];
    return [{ ...outline, above, name }, ...nested];
  });
}

type Flat = Partial<Outline> & Readonly<{ above: readonly string[]; name: string }>;

const siteOf = (url: string): string => hostOf(url).split(".").slice(-2).join(".");
const hostOf = (url = ""): string => (URL.canParse(url) ? new URL(url).hostname : "");

/** A unique id made of the letters and digits of a name, or of the host. */
function idOf(name: string, url: string | undefined, taken: ReadonlySet<string>): string {
  const slugs = [name, hostOf(url)].map((text) => text.toLowerCase().match(/[a-z\d]+(?:\.[a-z\d]+)*/g));
  const slug = (slugs.find((words) => words !== null) ?? ["feed"]).join("-").slice(0, 56);
  let id = slug;
  for (let n = taken.size + 1; taken.has(id); n++) id = `${slug}-${n}`;
  return id;
}

const escaped = (category: string): string => category.replace(/[%,/]/g, encodeURIComponent);

/** An OPML document of feeds. */
export function opmlOf(feeds: readonly (Omit<SourceInput, "timezone" | "headers"> & { timezone?: string | null })[]) {
  const outlines = feeds.map(({ name, lang: language, url: xmlUrl, categories = [], weight = 1, ...feed }) => ({
    ...{ id: feed.id, text: name, title: name, type: "rss", xmlUrl, language },
    ...(categories.length > 0 && { category: categories.map(escaped).join(",") }),
    ...(feed.timezone && { timezone: feed.timezone }),
    ...(weight !== 1 && { weight: String(weight) }),
    ...(feed.allow_private && { allow_private: "true" }),
  }));
  return generateOpml({ head: { title: "News sources of anp" }, body: { outlines } }, MORE);
}
