import { AnpError, ERRORS } from "../../contract/errors.ts";
import { COMMANDS } from "./command-facts.ts";
import type { Invocation } from "./define-command.ts";
import { CommandFailure, EXIT, UsageError } from "./exit.ts";
import { storageRemedy } from "../../storage/storage-remedy.ts";

/** How a failure ends the process. */
export type Report = { readonly exit: number; readonly lines: readonly string[] };

/** The one place that makes a message and an exit code of an error; those of the API are in `contract/error-catalogue.json`. */
export function reportOf(error: unknown, invocation: Invocation): Report {
  const { exit, lines } = describe(error, invocation);
  return { exit, lines: invocation.verbose && error instanceof Error ? [...lines, stackOf(error)] : lines };
}

function describe(error: unknown, { command }: Invocation): Report {
  const help = `See \`anp${command === undefined ? "" : ` ${command}`} --help\`.`;
  const fields = command === undefined ? {} : (COMMANDS[command].fields ?? {});
  if (error instanceof UsageError)
    return { exit: error.exit, lines: [...error.message.split("\n").map(asError), help] };
  if (error instanceof CommandFailure) return { exit: error.exit, lines: [asError(error.message)] };
  if (error instanceof AnpError) {
    const { exit, remedy: advice } = ERRORS[error.code];
    const [wait] = /^\d+$/.exec(error.headers["retry-after"] ?? "") ?? [];
    const remedy = wait === undefined ? advice : advice.replace(WAIT, `${wait} s`);
    const errors = error.fieldErrors.map((one) => {
      const flag = fields[one.path] ?? `--${one.path.replaceAll("_", "-").toLowerCase()}`;
      return asError(`${flag} ${one.message}.`);
    });
    const lines = errors.length === 0 ? [asError(error.message), remedy] : [...errors, help];
    return { exit, lines: [...lines, ...requestOf(error)] };
  }
  if (!(error instanceof Error)) return { exit: EXIT.failure, lines: [asError(String(error))] };
  if (error.name === "ExitPromptError") return { exit: EXIT.interrupted, lines: ["Interrupted. Nothing was changed."] };
  const [exit, ...advice] = KINDS[error.name] ?? [EXIT.failure, "Run it again with --verbose for the stack trace."];
  const errors = exit === EXIT.usage ? error.message.split("\n") : [error.message];
  if ("key" in error && /^audit\b/.test(String(error.key))) advice[0] = AUDIT_DAMAGED;
  if (error.name === "StorageError") advice.push(storageRemedy(error.message, "--storage"));
  return { exit, lines: [...errors.map(asError), ...advice, ...requestOf(error)] };
}

/** Of the remedies of errors that carry a delay. */
const WAIT = /the number of seconds in the Retry-After header/;

/** Errors of other rooms by their names: those are not loaded for a report. What the user can do follows the exit code. */
const KINDS: Readonly<Record<string, readonly [exit: number, ...advice: string[]]>> = {
  ConfigError: [EXIT.usage],
  StorageAddressError: [EXIT.usage],
  TlsError: [EXIT.usage],
  PortError: [EXIT.failure],
  DurabilityError: [EXIT.failure],
  CorruptionError: [EXIT.failure, "Nothing was guessed. `anp ledger verify` checks the ledgers."],
  StorageError: [EXIT.unreachable],
  UnreachableError: [EXIT.unreachable, "Check --url, and that the daemon runs."],
  ContractViolation: [EXIT.failure, "The daemon and this program have different versions."],
};

const AUDIT_DAMAGED = "Nothing was guessed. `anp audit verify` checks the audit log.";

/** The daemon's id of the request, to find it in the daemon's log. */
function requestOf(error: Error): string[] {
  return "request_id" in error && typeof error.request_id === "string" ? [`request_id: ${error.request_id}`] : [];
}

const asError = (message: string): string => `error: ${message}`;

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
