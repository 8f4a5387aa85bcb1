import { LRUCache } from "lru-cache";
import type { JobRunner } from "../compute/job-runner.ts";
import { hasHan, scriptOfTag } from "../language/detect-language.ts";
import type { Logger } from "../runtime/logger.ts";
import type { AssistantJobs } from "./jobs/assistant-jobs.ts";

const CACHED = 2000; // Converted texts in the cache: the front page repeats the same texts.

/** A copy of data with `write` applied to the texts at a path; a path passes through arrays to each element. */
function rewritten(data: unknown, [name = "", ...rest]: readonly string[], write: (text: string) => string): unknown {
  if (typeof data === "string") return write(data);
  if (Array.isArray(data)) return data.map((each) => rewritten(each, [name, ...rest], write));
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: rewritten(fields[name], rest, write) };
}

/** Converts Chinese to the script of a language tag; if the conversion fails, texts stay Simplified.
 * @returns a function that takes the paths of the texts to convert, such as `topics.title` */
export function createScriptWriter(runner: JobRunner<AssistantJobs>, logger: Logger) {
  const known = new LRUCache<string, string>({ max: CACHED });
  const failed = (error: unknown): string[] => {
    logger.warn({ err: error }, "Chinese could not be written in Traditional characters");
    return [];
  };
  return async <T extends object>(tag: string, data: T, ...paths: readonly string[]): Promise<T> => {
    const script = scriptOfTag(tag);
    if (script === undefined) return data;
    const rewrite = (write: (text: string) => string): T =>
      paths.reduce((copy, path) => rewritten(copy, path.split("."), write) as T, data);
    const found = new Map<string, string | undefined>();
    rewrite((text) => {
      if (hasHan(text)) found.set(text, known.get(`${script} ${text}`));
      return text;
    });
    const texts = Array.from(found.keys()).filter((text) => found.get(text) === undefined);
    const written = texts.length === 0 ? [] : await runner.run("write", { texts, script }).catch(failed);
    for (const [at, text] of written.entries()) {
      found.set(texts[at]!, text);
      known.set(`${script} ${texts[at]!}`, text);
    }
    return rewrite((text) => found.get(text) ?? text);
  };
}
