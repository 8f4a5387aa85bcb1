import { parse } from "yaml";
import { z } from "zod";
import { nearestLanguage } from "../../../language/detect-language.ts";
import { plainLine } from "../../../language/plain-text.ts";

const HEADINGS = {
  html: /<(?:title|h1)\b[^<>]{0,500}>([^]{0,1000}?)<\/(?:title|h1)/i,
  markdown: /^ {0,3}#{1,6}[ \t]+([^\n]{1,1000})/m,
};

const articleFile = z.strictObject({ path: z.string(), text: z.string() });

/** What is listed as an article in a help center of a language: of a file, the fields of its front matter, or those that
 * its path and its first heading give. None of a draft, or a file of another language; anything else as it is. */
export function listedArticles(raw: unknown, lang: string): unknown[] {
  const file = articleFile.safeParse(raw);
  if (!file.success) return [raw];
  const { path, text } = file.data;
  const [head = "", front = ""] = /^\ufeff?---\r?\n([^]{0,20000}?)\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  const format = /html?$/i.test(path) ? "html" : "markdown";
  const body = text.slice(head.length).replace(/^[^]*<body\b[^<>]{0,500}>/i, "");
  const title = plainLine(HEADINGS[format].exec(text.slice(head.length))?.[1] ?? "");
  try {
    // Without types, so that a date or a number is text.
    const fields = (parse(front, { schema: "failsafe" }) || {}) as Readonly<Record<string, string>>;
    const { lang: own, draft } = fields;
    if (draft === "true" || (own !== undefined && nearestLanguage(own) !== lang)) return [];
    return [{ id: path.replace(/\.\w+$/, "").replaceAll("\\", "/"), title, body, ...fields, path }];
  } catch {
    return [{ path, fault: "has front matter that is not YAML" }];
  }
}
