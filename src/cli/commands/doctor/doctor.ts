import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../framework/exit.ts";
import type { Column } from "../../terminal/column.ts";
import { formatOf, printRows } from "../../terminal/print.ts";
import { toggle } from "../../framework/param.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Check } from "../../../doctor/check.ts";
import type { CheckResult } from "../../../doctor/run-checks.ts";

const COLUMNS: readonly Column<CheckResult>[] = [
  { name: "check", of: ({ check }) => check },
  { name: "subject", of: ({ subject }) => subject },
  { name: "level", of: ({ level }) => level },
  { name: "message", of: ({ message }) => message, wide: true },
  { name: "loses", of: ({ loses }) => loses ?? null },
  { name: "remedy", of: ({ remedy }) => remedy ?? null },
];

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check the set-up, with a remedy for each finding",
  description:
    "Check the configuration and where it comes from, the storage (a round trip, and what it may lose), clock, port, " +
    "model, the platform's keys, news sources, fixtures and versions, all at the same time. Each finding has a remedy. " +
    "Exit code 0 when there is no error; 6 when every error is that something does not answer; 1 for any other error; " +
    "2 when the configuration is not valid. With --strict, warnings count as errors.",
  arguments: {},
  options: { strict: toggle("warnings count as errors") },
  examples: ["doctor", "doctor --config /etc/anp/anp.yaml --strict", "doctor --demo --json"],
  async run({ strict }, context) {
    const { checks, unusable } = await checksOf(context);
    const { runChecks } = await import("../../../doctor/run-checks.ts");
    const { terminal } = context;
    const shows = formatOf(context) === "table";
    const results = await runChecks(checks, (found) => (shows ? show(found, terminal) : Promise.resolve()));
    if (unusable !== undefined) results.unshift(...unusable);
    if (shows) {
      if (unusable !== undefined) await show(unusable, terminal);
    } else {
      await printRows(context, { data: results, rows: results, columns: COLUMNS });
    }
    const exit = unusable === undefined ? exitOf(results, strict) : EXIT.usage;
    if (exit !== EXIT.ok) throw new CommandFailure(exit, summaryOf(results));
    terminal.say(summaryOf(results));
  },
});

/** All checks. If the configuration is not valid: its errors, and the checks that do not need it. */
async function checksOf(context: Context): Promise<{ checks: Check[]; unusable?: CheckResult[] }> {
  const [{ openConfig }, { versionsCheck }] = await Promise.all([
    import("../../target/open-config.ts"),
    import("../../../doctor/versions-check.ts"),
  ]);
  try {
    const loaded = await openConfig(context);
    const { allChecks } = await import("../../../doctor/all-checks.ts");
    return { checks: allChecks({ loaded, fixture: loaded.fixture, now: context.clock.now() }) };
  } catch (error) {
    if ((error as Error).name !== "ConfigError") throw error;
    const unusable = (error as Error).message.split("\n").map((message): CheckResult => ({
      check: "config",
      subject: "configuration",
      level: "error",
      message,
      remedy: "`anp config schema` explains every key.",
    }));
    return { checks: [versionsCheck()], unusable };
  }
}

/** The exit code by the worst result; with `strict`, a warning counts as an error. */
function exitOf(results: readonly CheckResult[], strict: boolean): ExitCode {
  const bad = results.filter(({ level }) => level === "error" || (strict && level === "warning"));
  if (bad.length === 0) return EXIT.ok;
  return bad.every((result) => result.unreachable === true) ? EXIT.unreachable : EXIT.failure;
}

const MARKS = { ok: ["green", "ok     "], warning: ["bold", "warning"], error: ["red", "error  "] } as const;

async function show(results: readonly CheckResult[], terminal: Terminal): Promise<void> {
  const lines = results.flatMap(({ check, subject, level, message, loses, remedy }) => {
    const [style, mark] = MARKS[level];
    const indent = " ".repeat(mark.length + 2);
    return [
      `${terminal.paint(style, mark)}  ${terminal.paint("bold", `${check}: ${subject}`)}  ${message}`,
      ...(loses === undefined ? [] : [`${indent}may lose: ${loses}`]),
      ...(remedy === undefined ? [] : [`${indent}${terminal.paint("dim", "remedy:")} ${remedy}`]),
    ];
  });
  await terminal.write(`${lines.join("\n")}\n`);
}

function summaryOf(results: readonly CheckResult[]): string {
  const count = (level: CheckResult["level"]): number => results.filter((result) => result.level === level).length;
  const named = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `${named(count("error"), "error")}, ${named(count("warning"), "warning")}, ${count("ok")} ok.`;
}
