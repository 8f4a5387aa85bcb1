import type { Definition } from "./command.ts";

/** A first word of the command line. Its definition is loaded when it is typed, and only then. */
export interface CatalogueEntry {
  readonly name: string;
  readonly group: "Daemon" | "Assistant and news" | "Users and points" | "Records and documents";
  readonly summary: string;
  readonly load: () => Promise<Definition>;
}

export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: "serve",
    group: "Daemon",
    summary: "Run the HTTP daemon",
    load: async () => (await import("./commands/serve/serve.ts")).serve,
  },
  {
    name: "ask",
    group: "Assistant and news",
    summary: "Ask a question in a user's name",
    load: async () => (await import("./commands/ask.ts")).ask,
  },
  {
    name: "quota",
    group: "Users and points",
    summary: "Show a user's points and free uses of today",
    load: async () => (await import("./commands/quota.ts")).quota,
  },
  {
    name: "ledger",
    group: "Users and points",
    summary: "List, verify and export ledgers",
    load: async () => (await import("./commands/ledger/group.ts")).ledger,
  },
  {
    name: "exchange",
    group: "Users and points",
    summary: "Exchange platform tokens of a user for points",
    load: async () => (await import("./commands/exchange.ts")).exchange,
  },
];
