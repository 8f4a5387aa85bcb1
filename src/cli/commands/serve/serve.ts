import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { optional, toggle } from "../../framework/param.ts";
import { integer, oneOf, text } from "../../framework/value-readers.ts";
import { allowFaults, faultFlag, openFaults } from "./fault-flag.ts";

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
    const [{ Daemon }, { withSession }] = await Promise.all([
      import("../../../daemon/daemon.ts"),
      import("../../target/session.ts"),
    ]);
    const { io, clock, terminal } = context;
    const faults = await openFaults(fault);
    const daemon = new Daemon({
      process: io,
      clock,
      requireDurable,
      faults,
      say(text) {
        terminal.say(text);
      },
    });
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
