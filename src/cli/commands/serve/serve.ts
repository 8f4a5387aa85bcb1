import { CommandFailure, defineCommand, EXIT, toUsageError } from "../../framework/command.ts";
import { optional, toggle, oneOf, repeatable } from "../../params/param.ts";
import { checkFaults, FAULT_LIST, readFault, refuseInProduction } from "../../../faults/fault-catalogue.ts";
import type { Config } from "../../../config/config-schema.ts";
import type { Service } from "../../../service/service.ts";
import { listenFlags } from "../../target/daemon-target.ts";

export const command = defineCommand("serve", {
  options: {
    ...listenFlags,
    logLevel: optional(oneOf("debug", "info", "warn", "error", "silent")),
    requireDurable: toggle(),
    fault: repeatable(Object.assign((word: string) => readFault(word), { words: FAULT_LIST.map(({ text }) => text) })),
  },
  async run({ host, port, logLevel, requireDurable, fault }, context) {
    const { Daemon } = await import("../../../daemon/daemon.ts");
    const { withSession } = await import("../../target/operations.ts");
    const { io, clock, terminal } = context;
    toUsageError("--fault", () => checkFaults(fault));
    // Their code is loaded only where there are any.
    const { Faults } = fault.length > 0 ? await import("../../../faults/inject-faults.ts") : {};
    const faults = Faults && new Faults(fault, true);
    const adminCommands = async (service: Service) =>
      (await import("./hosted-commands.ts")).hostedCommands(context.program, service);
    const own = { process: io, clock, say: terminal.warn, stderr: io.stderr };
    const daemon = new Daemon({ ...own, requireDurable, faults, adminCommands });
    try {
      await withSession(context, (session) => daemon.run(session), {
        create: true,
        fillLater: true,
        workers: true,
        config: { "server.host": host, "server.port": port, "log.level": logLevel },
        logger: (config) => daemon.openLog(config),
        observer: () => daemon.observe(),
        ...(faults !== undefined && { open: (deps) => faults.open(deps) }),
        async check(config) {
          if (faults !== undefined)
            toUsageError("--fault", () => refuseInProduction(config.mode, context.globals.fixtures !== undefined));
          await checkPorts(config);
        },
      });
      daemon.logStopped();
    } catch (error) {
      throw daemon.hasOpened ? error : unusableStorage(error);
    } finally {
      await daemon.end();
    }
    // A feed that does not answer would keep a refresh running, and the process alive. Nothing waits for it any more.
    setTimeout(() => io.exit(EXIT.ok), GRACE_MS).unref();
  },
});

const GRACE_MS = 100; // Time for the event loop to end by itself once everything is closed, ms.

/** Refuses ports before anything is written. @throws CommandFailure with the setting, and whether a daemon has it */
async function checkPorts(config: Config): Promise<void> {
  const { addressesOf, bindError, checkPort } = await import("../../../daemon/bind-check.ts");
  for (const place of addressesOf(config)) {
    const { section, host, port } = place;
    const code = await bindError(host, port);
    if (code === undefined) continue;
    if (code !== "EADDRINUSE") await checkPort(host, port, section);
    const { message } = await (await import("../../../doctor/port-check.ts")).portOccupant(place);
    const setting = section === "server" ? "--port, or server.port" : `${section}.port`;
    throw new CommandFailure(EXIT.failure, `${message} Use another port: ${setting}.`);
  }
}

/** Reports an outage of the whole storage, without the key of the failed call, which means nothing at a start. */
function unusableStorage(error: unknown): unknown {
  if (error instanceof Error && error.name === "StorageError")
    error.message = error.message.replace(/^Cannot \w+ (?:the storage|\S+):/, "The storage cannot be used:");
  return error;
}
