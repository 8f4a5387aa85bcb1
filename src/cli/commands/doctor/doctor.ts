import { CommandFailure, defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { findDaemon, listenFlags, metricsUrlFlag } from "../../target/daemon-target.ts";
import { formatOf, printTable } from "../../terminal/print.ts";
import { toggle } from "../../params/param.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ConfigValues } from "../../../config/load-config.ts";
import type { CheckResult } from "../../../doctor/check.ts";

export const command = defineCommand("doctor", {
  options: { strict: toggle(), ...listenFlags, metricsUrl: metricsUrlFlag },
  async run({ strict, metricsUrl, host, port }, context) {
    const { checks, valid } = await checksOf(context, metricsUrl, { "server.host": host, "server.port": port });
    const { runChecks } = await import("../../../doctor/check.ts");
    const { terminal } = context;
    const shows = formatOf(context) === "table";
    const results = await runChecks(checks, (found) => (shows ? show(found, terminal) : Promise.resolve()));
    if (!shows) await printTable(context, { table: "findings", rows: results });
    const exit = valid ? exitOf(results, strict) : EXIT.usage;
    if (exit !== EXIT.ok) throw new CommandFailure(exit, summaryOf(results));
    terminal.say(summaryOf(results));
  },
});

/** @param listens configuration from the flags that `anp serve` has too */
async function checksOf(context: Context, metricsUrl: string | undefined, listens: ConfigValues) {
  const { allChecks, checksOfDaemon, checksWithout } = await import("../../../doctor/all-checks.ts");
  const { url, profile, token } = context.globals;
  if ([url, profile, token].some((flag) => flag !== undefined)) {
    if (Object.values(listens).some((value) => value !== undefined))
      throw new UsageError("--host and --port are for a daemon that is still to be started: give them without --url.");
    const daemon = (await findDaemon(context))!;
    return { checks: checksOfDaemon({ ...daemon, metricsUrl, clock: context.clock }), valid: true };
  }
  if (metricsUrl !== undefined) throw new UsageError("--metrics-url goes with --url or --profile.");
  try {
    const loaded = await (await import("../../target/open-config.ts")).openConfig(context, listens);
    return { checks: allChecks({ loaded, fixture: loaded.fixture, now: context.clock.now() }), valid: true };
  } catch (error) {
    if ((error as Error).name !== "ConfigError") throw error;
    return { checks: checksWithout((error as Error).message.split("\n")), valid: false };
  }
}

function exitOf(results: readonly CheckResult[], strict: boolean) {
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
