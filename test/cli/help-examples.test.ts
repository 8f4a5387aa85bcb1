import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { anp } from "./anp.ts";

/** What an example needs that the demo has not: another daemon, storage or file, a tool, Ctrl-C; or a process of its own. */
const ELSEWHERE =
  /^(serve|status|doctor|profiles|smoke|storage (accept|copy|import)|completion|openapi|events replay)\b|--(url|config|storage|follow|against)\b| -o |https?:|feeds\.opml/;
const EXIT_FOUND_NOTHING = 5; // The ids of the examples are of no storage.

const texts = readFileSync(new URL("../../src/cli/help/commands.md", import.meta.url), "utf8");
const examples = Array.from(texts.matchAll(/^ {4}anp (.*?)(?: [>|] .*)?$/gm), ([, line]) => line!);

const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, one, two, three]) => one ?? two ?? three!);

it("runs the examples of every command as they are printed, on the demo", async () => {
  const folder = await temporaryFolder();
  const env = { ANP_RETENTION_EVENTS_DAYS: "90" }; // The description of `storage prune` asks for one.
  const failed: unknown[] = [];
  let ran = 0;
  for (const line of new Set(examples.filter((example) => !ELSEWHERE.test(example)))) {
    const { code, stderr } = await anp([...wordsOf(line), "--demo"], { cwd: folder.path, env });
    ran += 1;
    const asks = code === 2 && /--yes|QUESTION/.test(stderr); // A terminal asks.
    if (code !== 0 && code !== EXIT_FOUND_NOTHING && !asks) failed.push([line, code, stderr]);
    if (/match(es)? these options/.test(stderr)) failed.push([line, stderr]);
  }
  await folder.remove();
  expect(failed).toEqual([]);
  expect(ran).toBeGreaterThan(70);
});
