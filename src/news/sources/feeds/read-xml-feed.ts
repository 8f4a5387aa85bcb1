import { decodeXML } from "entities/decode";
import { decodeEntities } from "../../../language/plain-text.ts";
import NAMES from "./feed-names.json" with { type: "json" };

/** Limits: entries kept of a feed and those seen, with 10 fields on average; fields per entry; characters of a field, of a
 * tag's attributes and of a link. */
export const FEED_LIMITS = { entries: 1000, seen: 20_000, fields: 128, markup: 20_000, attributes: 8192, link: 4096 };

/** A child element of a feed or an entry, or an attribute of the entry itself with `@` before its name. */
export interface Field {
  readonly name: string; // In lower case, with the usual prefix of its namespace: `dc:date`.
  readonly markup: string; // HTML.
  readonly attributes: Readonly<Record<string, string>>;
  readonly base: string | undefined; // Base URL of its relative links.
}

/** The fields of a feed itself, and those of each entry. */
export type FeedFields = Readonly<Record<"feed", readonly Field[]> & Record<"entries", readonly (readonly Field[])[]>>;

/** The absolute link; the link unchanged if its base is unknown. */
export function resolveLink(link: string, base: string | undefined): string {
  const isRelative = link !== "" && base !== undefined && !/^[a-z][a-z\d+.-]*:/i.test(link) && URL.canParse(link, base);
  return isRelative ? new URL(link, base).href : link;
}

/** Reads an RSS, Atom, RDF or CDF document.
 * @param base URL of the document, for relative links
 * @returns undefined for a web page, or a document without a feed's root element */
export function readXmlFeed(document: string, base: string | undefined): FeedFields | undefined {
  const root = document.search(/<(?:html|(?:[\w-]+:)?(?:rss|feed|rdf|channel))(?=[\s>])/i);
  if (root < 0 || /^<html/i.test(document.slice(root, root + 5))) return undefined;
  return new FeedReader(document.slice(root), base).read();
}

const NAMESPACES = new Map(Object.entries(NAMES.namespaces));
const WANTED = new Set(Object.values(NAMES.fields).flat());

interface OpenField extends Omit<Field, "markup"> {
  readonly tag: string;
  readonly start: number;
  depth: number; // Open elements with the field's own tag.
  entries: number; // Open entries inside the field.
  hasTags: boolean;
}

/** Reads tags, well-formed or not. A field ends at the latest with its entry, and an entry where the next one begins; a
 * field or entry that is truncated at the end of the document is dropped. */
class FeedReader {
  readonly feed: Field[] = [];
  readonly entries: Field[][] = [];
  readonly #document: string;
  readonly #prefixes = new Map<string, string>();
  readonly #open: { readonly name: string; readonly base: string | undefined }[];
  #isAtom = false;
  #fields = 0;
  #entry: Field[] | undefined;
  #field: OpenField | undefined;

  constructor(document: string, base: string | undefined) {
    this.#document = document;
    this.#open = [{ name: "", base }];
  }

  read(): this {
    const markup = /<!\[CDATA\[|<!--|<(\/?)([a-z_\u0080-\uffff][^\s<>/]*)([\s/](?:[^<>"']|"[^"<]*"|'[^'<]*')*)?>/gi;
    while (this.entries.length < FEED_LIMITS.seen && this.#fields < 10 * FEED_LIMITS.seen) {
      const found = markup.exec(this.#document);
      if (found === null) break;
      const [token, slash, tag, attributes = ""] = found;
      if (tag === undefined) {
        markup.lastIndex = this.#document.indexOf(token === "<!--" ? "-->" : "]]>", found.index);
        if (markup.lastIndex < found.index) break;
      } else if (slash === "/") this.#close(tag.toLowerCase(), found.index);
      else this.#start(tag.toLowerCase(), attributes, found.index, markup.lastIndex);
    }
    return this;
  }

  #start(tag: string, text: string, start: number, end: number): void {
    const isEmpty = text.endsWith("/");
    if (this.#continues(tag, start, isEmpty ? 0 : 1)) return;
    const attributes = attributesOf(text);
    const isRoot = this.#open.length === 1;
    for (const [name, value] of Object.entries(attributes)) {
      const usual = name.startsWith("xmlns:") ? NAMESPACES.get(value.toLowerCase().replace(/[/#]$/, "")) : undefined;
      if (usual !== undefined) this.#prefixes.set(name.slice(6), usual);
    }
    if (isRoot && !tag.startsWith("rdf")) this.#prefixes.set(tag.slice(0, Math.max(tag.lastIndexOf(":"), 0)), "");
    const name = this.#nameOf(tag);
    const outer = this.#open.at(-1)!.base;
    if (isRoot) this.#isAtom = name === "feed";
    if (isRoot) this.feed.push({ name: "language", markup: attributes["xml:lang"] ?? "", attributes, base: outer });
    const own = resolveLink((attributes["xml:base"] ?? "").trim(), outer);
    const base = /^https?:/i.test(own) && own.length <= FEED_LIMITS.link ? own : outer;
    if (isEntry(name)) {
      this.#endEntry();
      const wanted = Object.entries(attributes).filter(([key]) => WANTED.has(`@${key}`));
      this.#entry = wanted.map(([key, markup]) => ({ name: `@${key}`, markup, attributes, base }));
    } else if (!isRoot && !NAMES.containers.includes(name)) {
      const field = { name, tag, start: end, attributes, base, depth: 1, entries: 0, hasTags: false };
      // Atom links are often not closed.
      if (isEmpty || (name === "link" && attributes["href"] !== undefined)) this.#addField(field, end);
      else this.#field = field;
      return;
    }
    this.#open.push({ name, base });
    if (isEmpty) this.#close(tag, end);
  }

  #close(tag: string, start: number): void {
    if (this.#continues(tag, start, -1)) return;
    const name = this.#nameOf(tag);
    if (isEntry(name)) this.#endEntry();
    else if (this.#open.length > 1 && this.#open.at(-1)!.name === name) this.#open.pop();
  }

  #continues(tag: string, start: number, step: number): boolean {
    const field = this.#field;
    if (field === undefined) return false;
    const isOfEntry = isEntry(this.#nameOf(tag));
    const endsEntry = isOfEntry && (this.#entry === undefined || (step < 0 && field.entries === 0));
    if (isOfEntry) field.entries += step;
    if (tag === field.tag) field.depth += step;
    field.hasTags ||= field.depth > 0 && !endsEntry;
    if (endsEntry || field.depth === 0) this.#addField(field, start);
    return !endsEntry;
  }

  #nameOf(tag: string): string {
    const [local = "", prefix = ""] = tag.includes(":") ? tag.split(":").reverse() : [tag];
    const usual = this.#prefixes.get(prefix) ?? prefix;
    return usual === "" ? local : `${usual}:${local}`;
  }

  #endEntry(): void {
    if (this.#entry !== undefined && this.#entry.length > 0) this.entries.push(this.#entry);
    this.#entry = undefined;
    while (this.#open.length > 2 && this.#open.at(-1)!.name !== "channel") this.#open.pop();
  }

  #addField({ name, start, attributes, base, hasTags }: OpenField, end: number): void {
    this.#field = undefined;
    const fields = this.#entry ?? this.feed;
    if (!WANTED.has(name) || fields.length === FEED_LIMITS.fields) return;
    this.#fields += 1;
    const raw = this.#document.slice(start, Math.min(end, start + 4 * FEED_LIMITS.markup));
    fields.push({ name, markup: markupOf(raw, hasTags, this.#isAtom, attributes), attributes, base });
  }
}

const isEntry = (name: string): boolean => name === "item" || name === "entry";
const ATTRIBUTE = /(?<![^\s"'])([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g;
/** The attributes of a tag, by lower-case name. */
export function attributesOf(text: string): Record<string, string> {
  if (!text.includes("=")) return {};
  const found = text.slice(0, FEED_LIMITS.attributes).matchAll(ATTRIBUTE);
  return Object.fromEntries(Array.from(found, ([, key, ...text]) => [key!.toLowerCase(), decodeXML(text.join(""))]));
}

/** The content of an element as HTML: from escaped HTML (RSS, Atom `html`), elements (`xhtml`), plain text or base64. */
function markupOf(raw: string, hasTags: boolean, isAtom: boolean, attributes: Field["attributes"]): string {
  const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  if (hasTags) return withSections(raw, (text) => text, escaped);
  const type = attributes["type"] ?? "text";
  const mode = attributes["mode"] ?? (/^(?!text\/)[^/]+\/(?!.*xml$)/i.test(type) ? "base64" : "");
  if (isAtom && mode === "base64" && /^[\w+/\s]+={0,2}$/.test(raw.trim())) {
    const text = Buffer.from(raw, "base64").toString("utf8");
    return text.includes("\ufffd") ? "" : text;
  }
  const text = withSections(raw, decodeEntities, (content) => content);
  return isAtom && /^text(?:\/plain)?$/i.test(type) ? text.replaceAll("<", "&lt;") : text;
}

/** Removes comments, and maps CDATA sections by `section` and the text between them by `between`. */
const withSections = (raw: string, between: (text: string) => string, section: (content: string) => string): string =>
  raw
    .split(/(<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$))/i)
    .map((part, index) => {
      if (index % 2 === 0) return between(part);
      return part.startsWith("<!--") ? "" : section(part.slice(9).replace(/\]\]>$/, ""));
    })
    .join("");
