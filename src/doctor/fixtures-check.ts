import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readBundledSnapshot } from "../news/snapshot/bundled-snapshot.ts";
import { openFixture } from "../admin/load-fixture.ts";
import { readQuestions } from "../assistant/recommended-questions.ts";
import { failed, type Finding, ok } from "../storage/finding.ts";
import type { Check, CheckInput } from "./check.ts";
import { packageFile } from "../runtime/package-file.ts";

/** The bundled files, and the files that the configuration names besides sources. */
export function fixturesCheck({ loaded, fixture }: CheckInput): Check {
  return {
    name: "fixtures",
    bound_ms: 2000,
    async run() {
      const { questions } = loaded.config.assistant;
      const demo = async (): Promise<void> => {
        const { folder } = await openFixture(DEMO);
        await Promise.all(["users.json", "events.ndjson", "config.yaml"].map((file) => access(join(folder, file))));
      };
      const found = [
        await tried("fallback", FALLBACK, REINSTALL, readBundledSnapshot),
        await tried("demo", "The demo is complete: `anp serve --demo`.", REINSTALL, demo),
      ];
      if (fixture !== undefined) found.push(ok(fixture.name, `The fixture in ${fixture.folder} is used.`));
      if (questions !== undefined) {
        const good = `${questions} contains recommended questions.`;
        const read = () => readQuestions(resolve(loaded.baseDir, questions));
        found.push(await tried("questions", good, "Correct assistant.questions.", read));
      }
      return found;
    },
  };
}

const FALLBACK = "The bundled hot topics are readable; they are shown when nothing else is available.";
const DEMO = packageFile("fixtures/demo/").pathname;
const REINSTALL = "Install the package again: its folder `fixtures` is not complete.";

async function tried(subject: string, good: string, remedy: string, read: () => Promise<unknown>): Promise<Finding> {
  try {
    await read();
    return ok(subject, good);
  } catch (error) {
    return failed(subject, (error as Error).message, remedy);
  }
}
