/** What `${run.NAME}` stands for. */
export const RUN_VALUES = {
  id: "a text that is another one in each run against a daemon: for ids that must not have been used before",
  token:
    "the token of --token, the profile or ANP_TOKEN; of the fixture's first user where the daemon is the run's own",
} as const;

/** The values of a run. */
export interface RunValues {
  readonly id: string;
  /** Absent where no token was given. */
  readonly token?: string;
}
