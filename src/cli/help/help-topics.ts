/** What belongs to no single command: the topics of `anp help`, each with a line about it. */
export const TOPICS = {
  "smoke-files": "How smoke files are written",
  faults: "Faults that QA can switch on",
  configuration: "The whole configuration with its defaults",
  "storage-urls": "Storage URLs, durability and Redis permissions",
  environment: "Environment variables",
  formats: "How data is printed",
  "exit-codes": "Exit codes",
} as const;

export type Topic = keyof typeof TOPICS;
