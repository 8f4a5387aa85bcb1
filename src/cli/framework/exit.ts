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
    "failure; also a ledger that is not right, a damaged value, a port in use, too many requests, a question answered with no",
  usage: "usage: a flag, an argument or the configuration is not right; nothing was done",
  insufficientPoints: "insufficient points",
  auth: "not logged in: the token is missing or not valid",
  notFound: "not found",
  unreachable: "storage, model, feeds or server unreachable",
  smoke: "a smoke assertion failed",
  partial: "done in part: lines of a replay were rejected, or sources of a refresh failed",
  interrupted: "interrupted",
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command ends with this exit code and these words on stderr. What it printed before stands. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exit: ExitCode;

  constructor(exit: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** The command line is not as the command wants it: every fault names its argument or flag. */
export class UsageError extends CommandFailure {
  constructor(faults: string | readonly string[]) {
    super(EXIT.usage, typeof faults === "string" ? faults : faults.join("\n"));
  }
}
