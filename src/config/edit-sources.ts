import { readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isMap, isNode, isSeq, parse, parseDocument, stringify, type YAMLSeq } from "yaml";
import type { z } from "zod";
import { printField, validate } from "../contract/validation/validate-value.ts";
import { parseJson } from "../runtime/json/parse-json.ts";
import { ConfigError } from "./config-errors.ts";
import { httpAddress, newsSource } from "./news-config.ts";

const LOCK_MS = 2000; // Longest wait for another process's lock, ms; a change takes some milliseconds.
const LOOK_MS = 20; // Time between two attempts, ms.

/** A source as a configuration file has it. */
export type SourceInput = z.input<typeof newsSource>;
/** Changes to the list of sources: sources to append, and the index of one to remove. */
type Edit = { readonly added?: readonly SourceInput[]; readonly removed?: number };

/** Adds sources to a configuration file, but for those that are not valid, or have the id, the name or the URL of another
 * one, with what is wrong with each. @param sameNames whether two may have one name, as feeds of one outlet do
 * @throws ConfigError when another process keeps the file locked */
export const addSources = (file: string, candidates: readonly SourceInput[], sameNames = false) =>
  change(file, (text) => {
    const known = writtenSources(text);
    const added: SourceInput[] = [];
    const refused = candidates.flatMap((candidate) => {
      const source = { ...candidate, url: httpAddress(candidate.url.trim()) };
      const checked = validate(newsSource, source);
      const taken = (["id", ...(sameNames ? [] : ["name" as const]), "url"] as const).flatMap((field) => {
        const valueOf = (one: SourceInput) => (field === "url" ? spelled(one) : one[field]);
        const other = [...known, ...added].find((one) => valueOf(one) === valueOf(source));
        return other === undefined ? [] : { field, fault: `${field}: is that of the source ${other.id} already` };
      });
      const wrong = checked.valid ? [] : checked.errors.map((error) => printField(error));
      const faults = [...wrong, ...taken.map(({ fault }) => fault)];
      if (faults.length > 0) return [{ source, faults, isKnown: taken.some(({ field }) => field === "url") }];
      added.push(source);
      return [];
    });
    return { edit: added.length > 0 && { added }, result: { added, refused } };
  });

/** The location of a source in one spelling. */
const spelled = ({ url }: SourceInput): string => (URL.canParse(url) ? new URL(url).href.replace(/#.*/, "") : url);

/** Removes a source from a configuration file. @returns undefined when there is none of that id
 * @throws ConfigError when another process keeps the file locked */
export const removeSource = (file: string, id: string): Promise<SourceInput | undefined> =>
  change(file, (text) => {
    const sources = writtenSources(text);
    const removed = sources.findIndex((source) => source.id === id);
    return { edit: removed >= 0 && { removed }, result: sources[removed] };
  });

/** Changes a file, one process at a time: the new text is written to `FILE.lock`, which then replaces the file. */
async function change<T>(file: string, decide: (text: string) => { edit: Edit | false; result: T }): Promise<T> {
  const target = await realpath(file);
  const lock = `${target}.lock`;
  await takeLock(lock, (await stat(target)).mode);
  try {
    const text = await readFile(target, "utf8");
    const { edit, result } = decide(text);
    if (edit !== false) await writeFile(lock, editSources(text, edit), { flush: true });
    await (edit === false ? rm(lock) : rename(lock, target));
    return result;
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}

async function takeLock(lock: string, mode: number): Promise<void> {
  const until = performance.now() + LOCK_MS;
  for (;;) {
    try {
      await writeFile(lock, "", { flag: "wx", mode });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (performance.now() < until) await sleep(LOOK_MS);
      else throw new ConfigError([`Another process changes the file: ${lock} exists. If none does, remove it.`]);
    }
  }
}

type Tree = { news?: { sources?: SourceInput[] | null } | null } | null;
const writtenSources = (text: string): SourceInput[] => (parse(text) as Tree)?.news?.sources ?? [];

/** A configuration file with other sources. Comments stay, and where the list is in block style, the layout too. */
function editSources(text: string, edit: Edit): string {
  const { added = [], removed } = edit;
  const tree = parse(text) as Tree;
  const sources = [...writtenSources(text).filter((_, at) => at !== removed), ...added];
  const wanted = { ...tree, news: { ...tree?.news, sources } };
  if (parseJson(text) !== undefined) return `${JSON.stringify(wanted, null, /^[ \t]+(?=")/m.exec(text)?.[0] ?? "")}\n`;
  const document = parseDocument(text);
  const list = document.getIn(["news", "sources"], true);
  const spliced = isSeq(list) ? splice(text, list, edit) : text;
  if (isDeepStrictEqual(parse(spliced), wanted)) return spliced;
  if (removed !== undefined) document.deleteIn(["news", "sources", removed]);
  else if (isSeq(list)) for (const source of added) list.add(document.createNode(source));
  else {
    if (!isMap(document.get("news"))) document.set("news", document.createNode({}));
    document.setIn(["news", "sources"], document.createNode(added));
  }
  return document.toString({ lineWidth: 0 });
}

/** Changes only the lines of the sources. The caller checks the result. */
function splice(text: string, { items }: YAMLSeq, { added = [], removed }: Edit): string {
  const ranges = items.map((item) => (isNode(item) ? item.range! : ([0, 0, 0] as const)));
  const lineOf = (at: number): number => text.lastIndexOf("\n", at - 1) + 1;
  const endOf = (at: number): number => text.indexOf("\n", at - 1) + 1 || text.length;
  const [first, last] = [ranges[0], ranges.at(-1)];
  const bullet = first && text.slice(lineOf(first[0]), first[0]);
  if (last === undefined || !bullet || !/^ *- +$/.test(bullet)) return text;
  if (removed !== undefined) return text.slice(0, lineOf(ranges[removed]![0])) + text.slice(endOf(ranges[removed]![1]));
  const lines = added.flatMap((source) => {
    const written = stringify(source, { lineWidth: 0 }).trimEnd().split("\n");
    return written.map((line, at) => (at === 0 ? bullet : " ".repeat(bullet.length)) + line);
  });
  const before = text.slice(0, endOf(last[1]));
  return `${before}${before.endsWith("\n") ? "" : "\n"}${lines.join("\n")}\n${text.slice(endOf(last[1]))}`;
}
