/** Help that belongs to no single command. */
export interface Topic {
  readonly about: string;
  readonly text: () => Promise<string>;
}

/** The topics of `anp help`. Each is made of the tables that the program itself works by, and loaded when it is read. */
export const TOPICS: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  [
    "smoke-files",
    { about: "How smoke files are written", text: async () => (await import("../smoke/help.ts")).smokeFilesHelp() },
  ],
  [
    "faults",
    { about: "Faults that QA can switch on", text: async () => (await import("../faults/help.ts")).faultsHelp() },
  ],
  [
    "configuration",
    {
      about: "The whole configuration with its defaults",
      text: async () => (await import("../service/config-example.ts")).exampleConfig(),
    },
  ],
  [
    "environment",
    { about: "Environment variables", text: async () => (await import("./topics/environment.ts")).environment() },
  ],
  ["formats", { about: "How data is printed", text: async () => (await import("./topics/formats.ts")).formats() }],
  ["exit-codes", { about: "Exit codes", text: async () => (await import("./topics/exit-codes.ts")).exitCodes() }],
]);
