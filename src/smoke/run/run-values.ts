/** The values of `${run.NAME}`. */
export const RUN_VALUES = {
  id: "a string that differs in each run against a daemon, for ids that must be new",
  token: "the token of --token, the profile or ANP_TOKEN; on the file's own daemon, that of the fixture's first user",
} as const;

/** The values of a run. */
export interface RunValues {
  readonly id: string;
  /** Absent when no token was given. */
  readonly token?: string;
}
