import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { OutputFrame } from "../../../contract/admin-call.ts";
import type { AdminCommand, AdminOutput } from "../../../http/admin/admin-app.ts";
import type { Service } from "../../../service/service.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { CommandFailure, EXIT, type Program } from "../../framework/command.ts";
import { readBody } from "../../params/admin-body.ts";

/** The commands with a role, which the admin address runs for operators on the daemon's service. */
export async function hostedCommands({ catalogue, main }: Program, service: Service): Promise<AdminCommand[]> {
  const loaded = await Promise.all(catalogue.map(({ load }) => load()));
  const all = loaded.flatMap((command) => [command, ...Object.values(command.commands)]);
  return all.flatMap((command): AdminCommand[] => {
    const { name, role } = command;
    if (role === undefined) return [];
    const read: AdminCommand["read"] = async (body, operator) => {
      const { args, recorded } = await readBody(command, body, operator);
      return { recorded, run: (output) => runHosted(main, [...name.split(" "), ...args], service, output) };
    };
    return [{ name, role, read }];
  });
}

async function runHosted(main: Program["main"], argv: readonly string[], service: Service, output: AdminOutput) {
  const { format, quiet, terminal, signal, write } = output;
  const { columns, colour } = terminal;
  let question: string | undefined;
  const signals = new EventEmitter();
  signal.addEventListener("abort", () => signals.emit("SIGTERM", "SIGTERM"));
  // Output after a question is not for the caller.
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

/** A stream that passes texts on one by one. When the caller has gone, it fails as a closed pipe does. */
function openStream(pass: (text: string) => Promise<void>, as: { isTTY: boolean; columns: number }) {
  const write = (text: string, _encoding: string, done: (error?: Error) => void): void => {
    const failed = () => done(Object.assign(new Error("The caller has gone."), { code: "EPIPE" }));
    pass(text).then(() => done(), failed);
  };
  return Object.assign(new Writable({ decodeStrings: false, write }), as);
}
