import { COMMANDS } from "./framework/command-facts.ts";
import type { Definition } from "./framework/define-command.ts";

const FILES = {
  serve: () => import("./commands/serve/serve.ts"),
  status: () => import("./commands/status/status.ts"),
  doctor: () => import("./commands/doctor/doctor.ts"),
  profiles: () => import("./commands/profiles.ts"),
  smoke: () => import("./commands/smoke/smoke.ts"),
  ask: () => import("./commands/ask/ask.ts"),
  questions: () => import("./commands/questions.ts"),
  "hot-topics": () => import("./commands/hot-topics.ts"),
  news: () => import("./commands/news.ts"),
  quota: () => import("./commands/quota.ts"),
  ledger: () => import("./commands/ledger/ledger-commands.ts"),
  exchange: () => import("./commands/exchange.ts"),
  points: () => import("./commands/points.ts"),
  subscription: () => import("./commands/subscription.ts"),
  users: () => import("./commands/users.ts"),
  tokens: () => import("./commands/tokens.ts"),
  operators: () => import("./commands/operators.ts"),
  audit: () => import("./commands/audit.ts"),
  events: () => import("./commands/events/events-commands.ts"),
  storage: () => import("./commands/storage/storage-commands.ts"),
  config: () => import("./commands/config.ts"),
  completion: () => import("./commands/completion.ts"),
  version: () => import("./commands/version.ts"),
  openapi: () => import("./commands/openapi.ts"),
} satisfies Readonly<Partial<Record<keyof typeof COMMANDS, () => Promise<{ readonly command: Definition }>>>>;

/** All first words of the command line, in the order of the help. A definition is loaded when its word is typed. */
export const CATALOGUE = Object.entries(FILES).map(([name, file]) => {
  const { group = "", summary } = COMMANDS[name as keyof typeof FILES];
  return { name, group, summary, load: async (): Promise<Definition> => (await file()).command };
});
