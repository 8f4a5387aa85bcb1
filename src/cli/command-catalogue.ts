import { COMMANDS, type Definition } from "./framework/define-command.ts";

const FILES = {
  serve: () => import("./commands/serve/serve.ts"),
  status: () => import("./commands/status/status.ts"),
  doctor: () => import("./commands/doctor/doctor.ts"),
  profiles: () => import("./commands/setup/profiles-commands.ts"),
  smoke: () => import("./commands/smoke/smoke.ts"),
  ask: () => import("./commands/ask/ask.ts"),
  questions: () => import("./commands/ask/questions.ts"),
  "hot-topics": () => import("./commands/news/hot-topics-command.ts"),
  news: () => import("./commands/news/news-commands.ts"),
  quota: () => import("./commands/points/quota.ts"),
  ledger: () => import("./commands/ledger/ledger-commands.ts"),
  exchange: () => import("./commands/points/exchange.ts"),
  points: () => import("./commands/points/points-commands.ts"),
  subscription: () => import("./commands/users/subscription-commands.ts"),
  users: () => import("./commands/users/users-commands.ts"),
  tokens: () => import("./commands/users/tokens-commands.ts"),
  operators: () => import("./commands/operators/operators-commands.ts"),
  audit: () => import("./commands/operators/audit-commands.ts"),
  events: () => import("./commands/events/events-commands.ts"),
  storage: () => import("./commands/storage/storage-commands.ts"),
  config: () => import("./commands/setup/config-commands.ts"),
  completion: () => import("./commands/setup/completion.ts"),
  version: () => import("./commands/setup/version.ts"),
  openapi: () => import("./commands/setup/openapi.ts"),
} satisfies Readonly<Partial<Record<keyof typeof COMMANDS, () => Promise<{ readonly command: Definition }>>>>;

/** All first words of the command line, in the order of the help. A definition is loaded when its word is typed. */
export const CATALOGUE = Object.entries(FILES).map(([name, file]) => {
  const { group = "", summary } = COMMANDS[name as keyof typeof FILES];
  return { name, group, summary, load: async (): Promise<Definition> => (await file()).command };
});
