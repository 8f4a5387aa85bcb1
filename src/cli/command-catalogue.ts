import type { Definition } from "./framework/define-command.ts";

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
    name: "doctor",
    group: "Daemon",
    summary: "Check the set-up, with a remedy for each finding",
    load: async () => (await import("./commands/doctor/doctor.ts")).doctor,
  },
  {
    name: "profiles",
    group: "Daemon",
    summary: "Save daemons' addresses and tokens by name",
    load: async () => (await import("./commands/profiles/profiles-commands.ts")).profiles,
  },
  {
    name: "smoke",
    group: "Daemon",
    summary: "Run smoke files against a daemon",
    load: async () => (await import("./commands/smoke/smoke.ts")).smoke,
  },
  {
    name: "ask",
    group: "Assistant and news",
    summary: "Ask a question in a user's name",
    load: async () => (await import("./commands/ask.ts")).ask,
  },
  {
    name: "questions",
    group: "Assistant and news",
    summary: "Show the recommended questions of a scene",
    load: async () => (await import("./commands/questions.ts")).questions,
  },
  {
    name: "hot-topics",
    group: "Assistant and news",
    summary: "Show hot topics, hot questions and market sentiment",
    load: async () => (await import("./commands/hot-topics.ts")).hotTopics,
  },
  {
    name: "news",
    group: "Assistant and news",
    summary: "Latest news, topics, refresh and state of the sources",
    load: async () => (await import("./commands/news/news-commands.ts")).news,
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
    summary: "List, verify, export and import ledgers",
    load: async () => (await import("./commands/ledger/ledger-commands.ts")).ledger,
  },
  {
    name: "exchange",
    group: "Users and points",
    summary: "Exchange platform tokens of a user for points",
    load: async () => (await import("./commands/exchange.ts")).exchange,
  },
  {
    name: "points",
    group: "Users and points",
    summary: "Correct a user's points",
    load: async () => (await import("./commands/points/points-commands.ts")).points,
  },
  {
    name: "subscription",
    group: "Users and points",
    summary: "Show and set a user's plan",
    load: async () => (await import("./commands/subscription/subscription-commands.ts")).subscription,
  },
  {
    name: "users",
    group: "Users and points",
    summary: "List, show and create users",
    load: async () => (await import("./commands/users/users-commands.ts")).users,
  },
  {
    name: "tokens",
    group: "Users and points",
    summary: "Issue, list and revoke users' tokens",
    load: async () => (await import("./commands/tokens/tokens-commands.ts")).tokens,
  },
  {
    name: "events",
    group: "Records and documents",
    summary: "Record, replay, export and count behaviour events",
    load: async () => (await import("./commands/events/events-commands.ts")).events,
  },
  {
    name: "storage",
    group: "Records and documents",
    summary: "Copy, back up and restore everything that is stored",
    load: async () => (await import("./commands/storage/storage-commands.ts")).storage,
  },
  {
    name: "config",
    group: "Records and documents",
    summary: "Show the configuration and all its keys",
    load: async () => (await import("./commands/config/config-commands.ts")).config,
  },
  {
    name: "completion",
    group: "Records and documents",
    summary: "Print the completion script for bash, zsh or fish",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  {
    name: "openapi",
    group: "Records and documents",
    summary: "Print the OpenAPI 3.1 document of the HTTP API",
    load: async () => (await import("./commands/openapi.ts")).openapi,
  },
];
