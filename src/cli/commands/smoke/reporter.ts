import { writeFile } from "node:fs/promises";
import { toHuman, toSummary } from "../../../smoke/report/human-report.ts";
import { toJunit } from "../../../smoke/report/junit-report.ts";
import { toTap } from "../../../smoke/report/tap-report.ts";
import type { FileResult } from "../../../smoke/run/smoke-result.ts";
import type { Context } from "../../framework/command-context.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";

/** How to report results. */
export interface ReportOptions {
  /** Format on stdout; when left out, human on a terminal and TAP in a pipe. */
  readonly report: "human" | "tap" | "junit" | undefined;
  /** A file that also gets a JUnit report. */
  readonly junit: string | undefined;
}

/** Receives results as they come. */
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
