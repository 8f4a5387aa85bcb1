import type { LastFrame, OutputFrame } from "../../contract/admin-call.ts";
import { failureOf, RemoteRefusal } from "../../client/client.ts";
import { pageUrl, readUrl } from "../../client/daemon-url.ts";
import { exchange, readResponse, UnreachableError } from "../../client/transport.ts";
import { awaitInterrupt } from "../../runtime/interrupt.ts";
import { linesOf } from "../../runtime/text/lines.ts";
import type { Context } from "../framework/command-context.ts";
import { EXIT, UsageError, type ExitCode } from "../framework/command-failure.ts";
import { remoteParams } from "../params/admin-body.ts";
import { flagOf, type CommandParams } from "../params/param.ts";
import type { RawValue } from "../params/read-values.ts";
import { escapeForTerminal } from "../terminal/clean-text.ts";
import { CLEARED_LINE } from "../terminal/terminal.ts";

const BEGIN_MS = 30_000; // How long a daemon may take to start its response, ms.

/** Runs a command at the admin address of `context.operatorOf` with the `typed` params, and forwards its output.
 * @returns its exit code there */
export async function sendCommand(
  context: Context,
  command: CommandParams & { readonly name: string },
  typed: ReadonlyMap<string, RawValue>,
): Promise<ExitCode> {
  const sent = [...remoteParams(command).values()].filter(({ key }) => typed.has(key));
  const local = [...typed.keys()].filter((key) => !sent.some((one) => one.key === key));
  if (local.length > 0)
    throw new UsageError(local.map((key) => `${flagOf(key)} cannot be given with an operator's token.`));
  const { globals, terminal, io, operatorOf } = context;
  const { columns, colour, interactive: stdout, canPrompt: ask } = terminal;
  const body = {
    ...Object.fromEntries(sent.map(({ key, field }) => [field, typed.get(key)])),
    ...{ format: globals.format, quiet: globals.quiet },
    terminal: { columns, colour, ask, stdout, stderr: io.stderr.isTTY === true },
  };
  const { signal, forget } = awaitInterrupt(io);
  const reader = new AbortController();
  const stop = AbortSignal.any([signal, reader.signal]);
  const show = async (frame: OutputFrame): Promise<void> => {
    if ("out" in frame && !(await terminal.write(frame.out))) reader.abort();
    if ("err" in frame) io.stderr.write(io.stderr.isTTY === true ? escaped(frame.err) : frame.err);
  };
  try {
    let last = await call(operatorOf!, command.name, body, show, stop);
    if ("ask" in last) {
      await (await import("../terminal/prompt.ts")).confirmOrFail(last.ask, context);
      last = await call(operatorOf!, command.name, { ...body, yes: true }, show, stop);
    }
    return "exit" in last ? (last.exit as ExitCode) : EXIT.failure;
  } catch (error) {
    if (!stop.aborted) throw error;
    if (!signal.aborted) return EXIT.ok;
    if (!typed.has("follow"))
      terminal.say("Interrupted: the daemon ends it too. What it has done until then stays done.");
    return EXIT.interrupted;
  } finally {
    forget();
  }
}

/** The daemon escapes its output already; the client does not rely on that. */
function escaped(text: string): string {
  const head = text.startsWith(CLEARED_LINE) ? CLEARED_LINE : "";
  return head + escapeForTerminal(text.slice(head.length));
}

type Operator = NonNullable<Context["operatorOf"]>;
type Show = (frame: OutputFrame) => Promise<void>;

/** One call of the admin address. Nothing is retried. @throws RemoteRefusal, UnreachableError */
async function call({ url, token }: Operator, name: string, body: object, show: Show, signal: AbortSignal) {
  const base = readUrl(url);
  const request = {
    method: "POST",
    url: pageUrl(base, `/admin/v1/${name.replace(" ", "/")}`),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "user-agent": "anp" },
    body: JSON.stringify(body),
  };
  const ended = await exchange(request, BEGIN_MS, signal, async (response, begun) => {
    if (response.headers["content-type"] !== "application/x-ndjson")
      return { failed: failureOf(`anp ${name}`, await readResponse(response), base.origin) };
    begun();
    for await (const line of linesOf(response)) {
      const frame = JSON.parse(line || '{"err":""}') as OutputFrame | LastFrame;
      if ("exit" in frame || "ask" in frame) return { last: frame };
      const failed = await show(frame).catch((error: unknown) => error);
      if (failed !== undefined) return { failed };
    }
    throw new Error("it was cut off");
  });
  if (ended.last !== undefined) return ended.last;
  if (!(ended.failed instanceof RemoteRefusal) || ended.failed.code !== 404) throw ended.failed as Error;
  const what = `The daemon at ${base.origin} does not run \`anp ${name}\` for operators`;
  throw new UnreachableError(`${what}: give its admin address (admin.port), and programs of one version.`);
}
