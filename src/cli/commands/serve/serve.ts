import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { LastFrame, OutputFrame } from "../../../contract/admin-call.ts";
import type { AdminCommand, AdminOutput } from "../../../http/admin/admin-app.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { CommandFailure, defineCommand, EXIT, orUsageError, type Program } from "../../framework/command.ts";
import { bodySchema, readBody } from "../../params/admin-body.ts";
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
    orUsageError("--fault", () => checkFaults(fault));
    // Their code is loaded only where there are any.
    const { Faults } = fault.length > 0 ? await import("../../../faults/inject-faults.ts") : {};
    const faults = Faults && new Faults(fault, true);
    const adminCommands = (service: Service) => hostedCommands(context.program, service);
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
            orUsageError("--fault", () => refuseInProduction(config.mode, context.globals.fixtures !== undefined));
          await checkPorts(config);
        },
      });
      daemon.logStopped();
    } catch (error) {
      throw daemon.hasOpened ? error : await unusableStorage(error);
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

/** Reports an outage of the storage as a whole: who starts a daemon knows nothing of the key that was used first. */
async function unusableStorage(error: unknown): Promise<unknown> {
  if (!(await import("../../../storage/storage.ts")).isOutage(error)) return error;
  const [, reason] = /^Cannot \w+ \S+: (.*)$/s.exec(error.message) ?? [];
  if (reason === undefined) return error;
  return new CommandFailure(EXIT.unreachable, `The storage cannot be used: ${reason}`, { cause: error });
}

/** The commands that have a role, to be run on a daemon's own service for operators of its admin address. */
export async function hostedCommands({ catalogue, main }: Program, service: Service): Promise<AdminCommand[]> {
  const loaded = await Promise.all(catalogue.map(({ load }) => load()));
  const all = loaded.flatMap((command) => [command, ...Object.values(command.commands)]);
  return all.flatMap((command): AdminCommand[] => {
    const { name, role, summary } = command;
    if (role === undefined) return [];
    const read: AdminCommand["read"] = async (body, operator) => {
      const { args, recorded } = await readBody(command, body, operator);
      return { recorded, run: (output) => runHosted(main, [...name.split(" "), ...args], service, output) };
    };
    return [{ name, role, summary, body: bodySchema(command), read }];
  });
}

async function runHosted(
  main: Program["main"],
  argv: readonly string[],
  service: Service,
  { format, quiet, terminal, signal, write }: AdminOutput,
): Promise<LastFrame> {
  const { columns, colour } = terminal;
  let question: string | undefined;
  const signals = new EventEmitter();
  signal.addEventListener("abort", () => signals.emit("SIGTERM", "SIGTERM"));
  // What a command that asks says of it on this side is not for the caller.
  const show = async (frame: OutputFrame) => (question === undefined ? write(frame) : undefined);
  const stdout = openStream((out) => show({ out }), { isTTY: terminal.stdout, columns });
  const stderr = openStream((err) => show({ err }), { isTTY: terminal.stderr, columns });
  const ask = (asked: string): never => {
    throw new CommandFailure(EXIT.usage, (question = asked));
  };
  const flags = [...(format === undefined ? [] : [`--format=${format}`]), ...(quiet ? ["--quiet"] : [])];
  const io: CommandIo = {
    ...{ stdin: Readable.from([]), stdout, stderr, signals, exit: () => undefined, cwd: "/", clock: service.clock },
    env: colour ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
    hosted: { service, ask: terminal.ask ? ask : undefined },
  };
  const exit = await main([argv[0]!, ...flags, ...argv.slice(1)], io);
  for (const stream of [stdout, stderr]) await new Promise<void>((resolve) => stream.end(() => resolve()));
  return question === undefined ? { exit } : { ask: question };
}

/** A stream whose texts are passed on one by one. A caller who has gone is a reader who has. */
function openStream(pass: (text: string) => Promise<void>, as: { isTTY: boolean; columns: number }) {
  const write = (text: string, _encoding: string, done: (error?: Error) => void): void => {
    pass(text).then(
      () => done(),
      () => done(Object.assign(new Error("The caller has gone."), { code: "EPIPE" })),
    );
  };
  return Object.assign(new Writable({ decodeStrings: false, write }), as);
}
