import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { toHuman, toSummary } from "../../../smoke/report/human-report.ts";
import { toJunit } from "../../../smoke/report/junit-report.ts";
import { toTap } from "../../../smoke/report/tap-report.ts";
import type { FileResult } from "../../../smoke/run/smoke-result.ts";
import { CommandFailure, EXIT, type Context } from "../../framework/command.ts";
import type { SmokeOptions } from "./smoke-params.ts";

/** Receives results as they come. */
export function openReporter({ report, junit }: SmokeOptions, { terminal, globals, cwd }: Context) {
  const kind = globals.format === "json" ? "json" : (report ?? (terminal.interactive ? "human" : "tap"));
  const paint = terminal.paint.bind(terminal);
  const texts = {
    human: (results: readonly FileResult[]) => toSummary(results, paint),
    tap: toTap,
    junit: toJunit,
    json: (results: readonly FileResult[]) => `${JSON.stringify(results, null, 2)}\n`,
  };
  return {
    async file(result: FileResult): Promise<void> {
      if (kind === "human") await terminal.write(toHuman(result, paint));
    },
    /** @throws CommandFailure when the JUnit report cannot be written */
    async end(results: readonly FileResult[]): Promise<void> {
      await terminal.write(texts[kind](results));
      if (junit === undefined) return;
      try {
        await writeFile(resolve(cwd, junit), toJunit(results));
      } catch (error) {
        throw new CommandFailure(EXIT.failure, `The report cannot be written: ${(error as Error).message}`);
      }
    },
  };
}
