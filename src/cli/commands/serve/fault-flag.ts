import { checkFaults, FAULT_LIST, readFault, type Fault } from "../../../faults/fault-catalogue.ts";
import FAULTS from "../../../faults/faults.json" with { type: "json" };
import type { Faults } from "../../../faults/inject-faults.ts";
import type { Config } from "../../../config/config-schema.ts";
import type { Context } from "../../framework/command-context.ts";
import { UsageError } from "../../framework/exit.ts";
import { repeatable, type Param } from "../../framework/param.ts";

/** The suggestions of completion; settings may follow them. */
const words = FAULT_LIST.map(({ text }) => text);

/** `--fault NAME=KIND`, may be repeated. */
export const faultFlag: Param<readonly Fault[]> = repeatable(
  "name=kind",
  `make a part fail, so that QA sees what users would; never in production (${Object.keys(FAULTS).join(", ")}: see anp help faults)`,
  Object.assign((typed: string) => readFault(typed), { words }),
);

/** The faults of a daemon; without any it is undefined, and their code is not loaded. */
export async function openFaults(given: readonly Fault[]): Promise<Faults | undefined> {
  if (given.length === 0) return undefined;
  try {
    checkFaults(given);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--fault ${error.message}.`) : error;
  }
  const { Faults } = await import("../../../faults/inject-faults.ts");
  return new Faults(given);
}

/**
 * A daemon is in production unless its configuration says otherwise or it runs on a fixture.
 *
 * @throws UsageError in production
 */
export function allowFaults({ mode }: Config, { globals }: Context): void {
  const isStaging = (mode ?? (globals.fixtures === undefined ? "production" : "staging")) === "staging";
  if (isStaging) return;
  throw new UsageError(
    mode === "production"
      ? "--fault is refused: the configuration says that this daemon is in production (mode)."
      : "--fault is refused in production. Give --demo, or set ANP_MODE=staging where there are no real users.",
  );
}
