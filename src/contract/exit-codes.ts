/** The exit codes of the command line: a documented contract (`anp help exit-codes`). */
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

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
