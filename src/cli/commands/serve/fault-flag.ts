import { checkFaults, FAULT_LIST, FAULTS, readFault, type Fault } from "../../../faults/fault-catalogue.ts";
import type { Faults } from "../../../faults/inject-faults.ts";
import type { Config } from "../../../config/config-schema.ts";
import type { Context } from "../../framework/command-context.ts";
import { UsageError } from "../../framework/exit.ts";
import { repeatable, type Param } from "../../framework/param.ts";

/** Offered where a fault is typed; it may have settings behind it. */
const words = FAULT_LIST.map(({ text }) => text);

/** `--fault NAME=KIND`, again and again. */
export const faultFlag: Param<readonly Fault[]> = repeatable(
  "name=kind",
  `make a part fail, so that QA sees what users would; never in production (${Object.keys(FAULTS).join(", ")}: see anp help faults)`,
  Object.assign((typed: string) => readFault(typed), { words }),
);

/** The faults of a daemon; undefined without any, and then no code of theirs is loaded. */
export async function openFaults(asked: readonly Fault[]): Promise<Faults | undefined> {
  if (asked.length === 0) return undefined;
  try {
    checkFaults(asked);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--fault ${error.message}.`) : error;
  }
  const { Faults } = await import("../../../faults/inject-faults.ts");
  return new Faults(asked);
}

/**
 * A daemon is in production unless its configuration or its world says otherwise.
 *
 * @throws UsageError in production
 */
export function allowFaults({ mode }: Config, { globals }: Context): void {
  const isStaging = (mode ?? (globals.fixtures === undefined ? "production" : "staging")) === "staging";
  if (isStaging) return;
  throw new UsageError(
    mode === "production"
      ? "--fault is refused: the configuration says that this daemon is in production (mode)."
      : "--fault is refused in production. Give --demo, or set ANP_MODE=staging where no user is.",
  );
}
