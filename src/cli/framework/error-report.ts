import { AnpError, ERRORS, type FieldError } from "../../contract/errors.ts";
import type { Invocation } from "./define-command.ts";
import { CommandFailure, EXIT, UsageError } from "./exit.ts";
import { storageRemedy } from "../../storage/storage-remedy.ts";

/** How a failure ends the process. */
export interface Report {
  readonly exit: number;
  readonly lines: readonly string[];
}

/** The one place that maps errors to exit codes and messages. */
export function reportOf(error: unknown, invocation: Invocation): Report {
  const report = describe(error, invocation);
  const stack = invocation.verbose && error instanceof Error ? [stackOf(error)] : [];
  return { exit: report.exit, lines: [...report.lines, ...stack] };
}

function describe(error: unknown, { path, fields }: Invocation): Report {
  const help = `See \`${path} --help\`.`;
  if (error instanceof UsageError)
    return { exit: error.exit, lines: [...error.message.split("\n").map(asError), help] };
  if (error instanceof CommandFailure) return { exit: error.exit, lines: [asError(error.message)] };
  if (error instanceof AnpError) {
    const { exit, remedy } = ERRORS[error.code];
    const id = requestOf(error);
    if (error.fieldErrors.length === 0) return { exit, lines: [asError(error.message), remedy, ...id] };
    return {
      exit,
      lines: [
        ...error.fieldErrors.map((error) => asError(`${flagOfField(error, fields)} ${error.message}.`)),
        help,
        ...id,
      ],
    };
  }
  if (!(error instanceof Error)) return { exit: EXIT.failure, lines: [asError(String(error))] };
  switch (error.name) {
    case "ConfigError":
    case "StorageAddressError":
    case "TlsError":
      return { exit: EXIT.usage, lines: error.message.split("\n").map(asError) };
    case "CorruptionError":
      return {
        exit: EXIT.failure,
        lines: [asError(error.message), "Nothing was guessed. `anp ledger verify` checks the ledgers."],
      };
    case "StorageError":
      return {
        exit: EXIT.unreachable,
        lines: [asError(error.message), storageRemedy(error.message, "--storage")],
      };
    case "UnreachableError":
      return { exit: EXIT.unreachable, lines: [asError(error.message), "Check --url, and that the daemon runs."] };
    case "ContractViolation":
      return {
        exit: EXIT.failure,
        lines: [asError(error.message), "The daemon and this program have different versions.", ...requestOf(error)],
      };
    case "PortError":
    case "DurabilityError":
      return { exit: EXIT.failure, lines: [asError(error.message)] };
    case "ExitPromptError":
      return { exit: EXIT.interrupted, lines: ["Interrupted. Nothing was changed."] };
    default:
      return {
        exit: EXIT.failure,
        lines: [asError(error.message), "Run it again with --verbose for the stack trace."],
      };
  }
}

/** The daemon's id of the request, to find it in the daemon's log. */
function requestOf(error: Error): string[] {
  return "request_id" in error && typeof error.request_id === "string" ? [`request_id: ${error.request_id}`] : [];
}

/** The argument or flag of a field of the contract. */
function flagOfField({ path }: FieldError, fields: Invocation["fields"]): string {
  return fields[path] ?? `--${path.replaceAll("_", "-").toLowerCase()}`;
}

function asError(message: string): string {
  return `error: ${message}`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
