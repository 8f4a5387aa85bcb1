import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT, UsageError } from "../../framework/exit.ts";
import { optional, toggle, integer, oneOf, text, repeatable, type Param } from "../../framework/param.ts";
import { checkFaults, FAULT_LIST, readFault, type Fault } from "../../../faults/fault-catalogue.ts";
import FAULTS from "../../../faults/faults.json" with { type: "json" };
import type { Faults } from "../../../faults/inject-faults.ts";
import type { Config } from "../../../config/config-schema.ts";
import type { Context } from "../../framework/command-context.ts";

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

export const command = defineCommand({
  options: {
    host: optional("address", "address to listen on (server.host)", text(255)),
    port: optional("n", "port to listen on, 0 for a free one (server.port)", integer(0, 65_535)),
    logLevel: optional(
      "level",
      "debug, info, warn, error or silent (log.level)",
      oneOf("debug", "info", "warn", "error", "silent"),
    ),
    requireDurable: toggle("refuse to start on a storage that may lose what it has acknowledged"),
    fault: faultFlag,
  },
  async run({ host, port, logLevel, requireDurable, fault }, context) {
    const { Daemon } = await import("../../../daemon/daemon.ts");
    const { withSession } = await import("../../target/operations.ts");
    const { io, clock, terminal } = context;
    const faults = await openFaults(fault);
    const daemon = new Daemon({ process: io, clock, requireDurable, faults, say: terminal.say });
    try {
      await withSession(context, (session) => daemon.run(session), {
        create: true,
        fillLater: true,
        workers: true,
        config: { "server.host": host, "server.port": port, "log.level": logLevel },
        logger: (config) => daemon.openLog(config),
        observer: (config) => daemon.observe(config),
        ...(faults !== undefined && {
          open: (deps) => faults.open(deps),
          check(config) {
            allowFaults(config, context);
          },
        }),
      });
      daemon.logStopped();
    } catch (error) {
      throw daemon.hasOpened ? error : await unusableStorage(error);
    } finally {
      await daemon.end();
    }
    // A feed that does not answer would keep a refresh running, and the process alive. Nothing waits for it any more.
    setTimeout(() => {
      io.exit(EXIT.ok);
    }, GRACE_MS).unref();
  },
});

/** Time for the event loop to end by itself once everything is closed, ms. */
const GRACE_MS = 100;

/**
 * Reports an outage of the storage as a whole: the key that was read or written first means nothing to the person who
 * starts a daemon.
 */
async function unusableStorage(error: unknown): Promise<unknown> {
  const { isOutage } = await import("../../../storage/storage-errors.ts");
  if (!isOutage(error)) return error;
  const [, reason] = /^Cannot \w+ \S+: (.*)$/s.exec(error.message) ?? [];
  if (reason === undefined) return error;
  return new CommandFailure(EXIT.unreachable, `The storage cannot be used: ${reason}`, { cause: error });
}
