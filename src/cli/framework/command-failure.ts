import { EXIT, type ExitCode } from "../../contract/exit-codes.ts";

export { EXIT, type ExitCode } from "../../contract/exit-codes.ts";

/** Ends a command with this exit code and this message on stderr. Output printed before remains valid. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exit: ExitCode;

  constructor(exit: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** The command line is not valid: every error names its argument or flag. */
export class UsageError extends CommandFailure {
  constructor(errors: string | readonly string[]) {
    super(EXIT.usage, typeof errors === "string" ? errors : errors.join("\n"));
  }
}

/** The result of `read`. @throws UsageError for its RangeError, with `name` before the message */
export function toUsageError<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`${name} ${error.message}.`) : error;
  }
}
