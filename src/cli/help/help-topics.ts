/** Help that belongs to no single command. */
export interface Topic {
  readonly about: string;
  readonly text: () => Promise<string>;
}

/** The topics of `anp help`. Each is generated from the program's own tables, and loaded when it is shown. */
export const TOPICS: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  [
    "smoke-files",
    {
      about: "How smoke files are written",
      text: async () => (await import("../../smoke/smoke-help.ts")).smokeFilesHelp(),
    },
  ],
  [
    "faults",
    {
      about: "Faults that QA can switch on",
      text: async () => (await import("../../faults/faults-help.ts")).faultsHelp(),
    },
  ],
  [
    "configuration",
    {
      about: "The whole configuration with its defaults",
      text: async () => (await import("../../config/config-example.ts")).exampleConfig(),
    },
  ],
  [
    "environment",
    { about: "Environment variables", text: async () => (await import("./environment-help.ts")).environment() },
  ],
  ["formats", { about: "How data is printed", text: async () => (await import("./formats-help.ts")).formats() }],
  ["exit-codes", { about: "Exit codes", text: async () => (await import("./exit-codes-help.ts")).exitCodes() }],
]);
