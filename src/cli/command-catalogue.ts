import type { Definition } from "./framework/define-command.ts";

type Listed = readonly [summary: string, load: () => Promise<{ readonly command: Definition }>];

const GROUPS: Readonly<Record<string, Readonly<Record<string, Listed>>>> = {
  Daemon: {
    serve: ["Run the HTTP daemon", () => import("./commands/serve/serve.ts")],
    doctor: ["Check the set-up, with a remedy for each finding", () => import("./commands/doctor/doctor.ts")],
    profiles: ["Save daemons' addresses and tokens by name", () => import("./commands/profiles.ts")],
    smoke: ["Run smoke files against a daemon", () => import("./commands/smoke/smoke.ts")],
  },
  "Assistant and news": {
    ask: ["Ask a question in a user's name", () => import("./commands/ask.ts")],
    questions: ["Show the recommended questions of a scene", () => import("./commands/questions.ts")],
    "hot-topics": ["Show hot topics, hot questions and market sentiment", () => import("./commands/hot-topics.ts")],
    news: ["Latest news, topics, refresh and state of the sources", () => import("./commands/news.ts")],
  },
  "Users and points": {
    quota: ["Show a user's points and free uses of today", () => import("./commands/quota.ts")],
    ledger: ["List, verify, export and import ledgers", () => import("./commands/ledger/ledger-commands.ts")],
    exchange: ["Exchange platform tokens of a user for points", () => import("./commands/exchange.ts")],
    points: ["Correct a user's points", () => import("./commands/points.ts")],
    subscription: ["Show and set a user's plan", () => import("./commands/subscription.ts")],
    users: ["List, show and create users", () => import("./commands/users.ts")],
    tokens: ["Issue, list and revoke users' tokens", () => import("./commands/tokens.ts")],
  },
  "Records and documents": {
    events: ["Record, replay, export and count behaviour events", () => import("./commands/events/events-commands.ts")],
    storage: ["Copy, back up, restore and identify a storage", () => import("./commands/storage/storage-commands.ts")],
    config: ["Show the configuration and all its keys", () => import("./commands/config.ts")],
    completion: ["Print the completion script for bash, zsh or fish", () => import("./commands/completion.ts")],
    openapi: ["Print the OpenAPI 3.1 document of the HTTP API", () => import("./commands/openapi.ts")],
  },
};

/** All first words of the command line, in the order of the help. A definition is loaded when its word is typed. */
export const CATALOGUE = Object.entries(GROUPS).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, [summary, load]]) => ({
    name,
    group,
    summary,
    load: async () => (await load()).command,
  })),
);
