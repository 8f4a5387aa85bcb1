/** The exit codes: a documented contract (`anp help exit-codes`). */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  insufficientPoints: 3,
  auth: 4,
  notFound: 5,
  unreachable: 6,
  smoke: 7,
  partial: 8,
  interrupted: 130,
} as const;

/** What each of them means. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done",
  failure:
    "failure; also an invalid ledger, a damaged value, a port in use, too many requests, a confirmation that was declined",
  usage: "usage: a flag, an argument or the configuration is not valid; nothing was done",
  insufficientPoints: "insufficient points",
  auth: "not logged in: the token is missing or not valid",
  notFound: "not found",
  unreachable: "storage, model, feeds or server unreachable",
  smoke: "a smoke assertion failed",
  partial: "done in part: lines of a replay were rejected, or sources of a refresh failed",
  interrupted: "interrupted",
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

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
