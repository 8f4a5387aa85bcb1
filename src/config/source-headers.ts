import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { headerValue, type NewsConfig } from "./news-config.ts";

/** Replaces `${NAME}` in the headers of sources with the variable's value, and `${file:PATH}` with what the file holds.
 * @returns a line for each header that cannot be filled in */
export function fillHeaders(
  sources: NewsConfig["sources"],
  { env, baseDir }: { env: Readonly<Record<string, string | undefined>>; baseDir: string },
): string[] {
  const valueOf = (_: string, file: string | undefined, place: string): string => {
    const value = file === undefined ? env[place] : readFileSync(resolve(baseDir, place), "utf8").trim();
    if (!headerValue.safeParse(value).success) throw new RangeError(`${place} does not hold a header's value`);
    return value!;
  };
  return sources.flatMap(({ headers = {} }, index) =>
    Object.entries(headers).flatMap(([name, text]) => {
      try {
        headers[name] = text.replace(/\$\{(file:)?([^{}]{1,1000})\}/g, valueOf);
        return [];
      } catch (error) {
        return `news.sources.${index}.headers.${name}: cannot be filled in: ${(error as Error).message}`;
      }
    }),
  );
}
