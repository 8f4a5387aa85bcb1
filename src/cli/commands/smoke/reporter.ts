import { writeFile } from "node:fs/promises";
import { toHuman, toSummary } from "../../../smoke/report/human-report.ts";
import { toJunit } from "../../../smoke/report/junit-report.ts";
import { toTap } from "../../../smoke/report/tap-report.ts";
import type { FileResult } from "../../../smoke/run/smoke-result.ts";
import type { Context } from "../../framework/command-context.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";

/** How results are reported. */
export interface ReportOptions {
  /** On stdout; left out, a terminal decides. */
  readonly report: "human" | "tap" | "junit" | undefined;
  /** A file for a JUnit report beside that. */
  readonly junit: string | undefined;
}

/** Takes results as they come. */
export interface Reporter {
  readonly file: (result: FileResult) => Promise<void>;
  /** @throws CommandFailure when the JUnit report cannot be written */
  readonly end: (results: readonly FileResult[]) => Promise<void>;
}

export function openReporter({ report, junit }: ReportOptions, { terminal, globals }: Context): Reporter {
  const kind = globals.format === "json" ? "json" : (report ?? (terminal.interactive ? "human" : "tap"));
  const paint = terminal.paint.bind(terminal);
  return {
    async file(result) {
      if (kind === "human") await terminal.write(toHuman(result, paint));
    },
    async end(results) {
      await terminal.write(textOf(results));
      if (junit === undefined) return;
      try {
        await writeFile(junit, toJunit(results));
      } catch (error) {
        throw new CommandFailure(EXIT.failure, `The report cannot be written: ${(error as Error).message}`);
      }
    },
  };

  function textOf(results: readonly FileResult[]): string {
    switch (kind) {
      case "human":
        return toSummary(results, paint);
      case "tap":
        return toTap(results);
      case "junit":
        return toJunit(results);
      case "json":
        return `${JSON.stringify(results, null, 2)}\n`;
    }
  }
}
