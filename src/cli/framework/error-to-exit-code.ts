import { AnpError, ERRORS } from "../../contract/errors.ts";
import { stackOf } from "../../runtime/logger.ts";
import { storageRemedy } from "../../storage/health/storage-remedy.ts";
import { COMMANDS, type Invocation } from "./define-command.ts";
import ERROR_KINDS from "./error-kinds.json" with { type: "json" };
import { CommandFailure, EXIT, UsageError } from "./command-failure.ts";

/** Errors of other folders, by name so that their modules are not loaded: the exit code and the advice. */
const KINDS = ERROR_KINDS as unknown as Readonly<Record<string, readonly [keyof typeof EXIT, ...advice: string[]]>>;

/** The one place that maps an error to message and exit code; API errors are in `contract/error-catalogue.json`. */
export function reportOf(thrown: unknown, invocation: Invocation): { exit: number; lines: readonly string[] } {
  const error = thrown instanceof Error ? thrown : new CommandFailure(EXIT.failure, String(thrown));
  const { exit, errors, advice } = describe(error, invocation);
  // The request id, to find the request in the daemon's log.
  const request =
    "request_id" in error && typeof error.request_id === "string" ? [`request_id: ${error.request_id}`] : [];
  const stack = invocation.verbose ? [stackOf(error)] : [];
  return { exit, lines: [...errors.map((message) => `error: ${message}`), ...advice, ...request, ...stack] };
}

function describe(error: Error, { command }: Invocation) {
  const help = `See \`anp${command === undefined ? "" : ` ${command}`} --help\`.`;
  if (error instanceof UsageError) return { exit: error.exit, errors: error.message.split("\n"), advice: [help] };
  if (error instanceof CommandFailure) return { exit: error.exit, errors: [error.message], advice: [] };
  if (error instanceof AnpError) {
    const { exit, remedy: general } = ERRORS[error.code];
    const isUser = error.code === 404 && /\buser\b/i.test(error.message);
    // "Did you mean alice?" and the bound of an amount need no other remedy.
    const isEnough = error.code === 1009 || (isUser && error.message.endsWith("?"));
    const remedy = isEnough ? "" : isUser ? "`anp users list` shows the users." : general;
    const fields = command === undefined ? {} : (COMMANDS[command].fields ?? {});
    const errors = error.fieldErrors.map(({ path, message }) => {
      return `${fields[path] ?? `--${path.replaceAll("_", "-").toLowerCase()}`} ${message}.`;
    });
    if (errors.length > 0) return { exit, errors, advice: [help] };
    const [wait] = /^\d+$/.exec(error.headers["retry-after"] ?? "") ?? [];
    const advice = wait ? remedy.replace("the number of seconds in the Retry-After header", `${wait} s`) : remedy;
    return { exit, errors: [error.message], advice: [advice].filter(Boolean) };
  }
  if (error.name === "ExitPromptError")
    return { exit: EXIT.interrupted, errors: [], advice: ["Interrupted. Nothing was changed."] };
  const ofAudit = error.name === "CorruptionError" && "key" in error && /^audit\b/.test(String(error.key));
  const [exit, ...advice] = KINDS[ofAudit ? "CorruptionError of the audit log" : error.name] ?? KINDS["Error"]!;
  const hasRemedy = /^\S+ cannot be used: /.test(error.message); // That of the finding.
  if (error.name === "StorageError" && !hasRemedy) advice.push(storageRemedy(error.message, "--storage"));
  return { exit: EXIT[exit], errors: exit === "usage" ? error.message.split("\n") : [error.message], advice };
}
