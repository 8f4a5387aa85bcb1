import { AnpError, ERRORS, type FieldError } from "../../contract/errors.ts";
import type { Invocation } from "./define-command.ts";
import { CommandFailure, EXIT, UsageError } from "./exit.ts";
import { storageRemedy } from "../../storage/storage-remedy.ts";

/** How a failure ends the process. */
export type Report = { readonly exit: number; readonly lines: readonly string[] };

/** The one place that maps errors to exit codes and messages. */
export function reportOf(error: unknown, invocation: Invocation): Report {
  const { exit, lines } = describe(error, invocation);
  return { exit, lines: invocation.verbose && error instanceof Error ? [...lines, stackOf(error)] : lines };
}

function describe(error: unknown, { path, fields }: Invocation): Report {
  const help = `See \`${path} --help\`.`;
  if (error instanceof UsageError)
    return { exit: error.exit, lines: [...error.message.split("\n").map(asError), help] };
  if (error instanceof CommandFailure) return { exit: error.exit, lines: [asError(error.message)] };
  if (error instanceof AnpError) {
    const { exit, remedy } = ERRORS[error.code];
    const errors = error.fieldErrors.map((one) => asError(`${flagOfField(one, fields)} ${one.message}.`));
    const lines = errors.length === 0 ? [asError(error.message), remedy] : [...errors, help];
    return { exit, lines: [...lines, ...requestOf(error)] };
  }
  if (!(error instanceof Error)) return { exit: EXIT.failure, lines: [asError(String(error))] };
  if (error.name === "ExitPromptError") return { exit: EXIT.interrupted, lines: ["Interrupted. Nothing was changed."] };
  const [exit, ...advice] = KINDS[error.name] ?? [EXIT.failure, "Run it again with --verbose for the stack trace."];
  const errors = exit === EXIT.usage ? error.message.split("\n") : [error.message];
  if (error.name === "StorageError") advice.push(storageRemedy(error.message, "--storage"));
  return { exit, lines: [...errors.map(asError), ...advice, ...requestOf(error)] };
}

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

/** The daemon's id of the request, to find it in the daemon's log. */
function requestOf(error: Error): string[] {
  return "request_id" in error && typeof error.request_id === "string" ? [`request_id: ${error.request_id}`] : [];
}

function flagOfField({ path }: FieldError, fields: Invocation["fields"]): string {
  return fields[path] ?? `--${path.replaceAll("_", "-").toLowerCase()}`;
}

const asError = (message: string): string => `error: ${message}`;

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
