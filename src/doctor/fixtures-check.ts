import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readBundledSnapshot } from "../news/snapshot/bundled-snapshot.ts";
import { openFixture } from "../admin/load-fixture.ts";
import { readQuestions } from "../assistant/questions-file.ts";
import { type Check, type DoctorFinding, type CheckInput, failed, ok } from "./check.ts";
import { packageFile } from "../runtime/package-file.ts";

/** The bundled files, and the files that the configuration names besides sources. */
export function fixturesCheck({ loaded, fixture }: CheckInput): Check {
  return {
    name: "fixtures",
    bound_ms: 2000,
    async run() {
      const { questions } = loaded.config.assistant;
      return Promise.all([
        tried(
          "fallback",
          "The bundled hot topics are readable; they are shown when nothing else is available.",
          REINSTALL,
          async () => {
            await readBundledSnapshot();
          },
        ),
        tried("demo", "The demo is complete: `anp serve --demo`.", REINSTALL, async () => {
          const { folder } = await openFixture(DEMO);
          await Promise.all(["users.json", "events.ndjson", "config.yaml"].map((file) => access(join(folder, file))));
        }),
        ...(fixture === undefined
          ? []
          : [Promise.resolve(ok(fixture.name, `The fixture in ${fixture.folder} is used.`))]),
        ...(questions === undefined
          ? []
          : [
              tried(
                "questions",
                `${questions} contains recommended questions.`,
                "Correct assistant.questions.",
                async () => {
                  await readQuestions(resolve(loaded.baseDir, questions));
                },
              ),
            ]),
      ]);
    },
  };
}

const DEMO = packageFile("fixtures/demo/").pathname;
const REINSTALL = "Install the package again: its folder `fixtures` is not complete.";

async function tried(subject: string, good: string, remedy: string, read: () => Promise<void>): Promise<DoctorFinding> {
  try {
    await read();
    return ok(subject, good);
  } catch (error) {
    return failed(subject, (error as Error).message, remedy);
  }
}
