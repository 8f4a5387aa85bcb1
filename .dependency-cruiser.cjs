/**
 * The rooms of `src`, each with the rooms it may import from. Imports of types count. What is not listed is an error, and
 * so is a circle between files.
 */
const BASE = ["runtime", "contract"];
const CORE = [...BASE, "config", "storage"];
const DOMAIN = [...CORE, "accounts", "ledger", "language", "compute", "assistant", "news", "events"];
const SERVICE = [...DOMAIN, "service", "admin", "backup"];

/** @type {Record<string, string[]>} */
const ROOMS = {
  runtime: [],
  contract: ["runtime"],
  config: BASE,
  storage: BASE,
  client: BASE,
  language: BASE,
  compute: BASE,
  accounts: CORE,
  ledger: [...CORE, "accounts", "compute"],
  assistant: [...CORE, "language", "compute"],
  news: [...CORE, "language", "compute"],
  events: CORE,
  service: DOMAIN,
  admin: [...DOMAIN, "service"],
  backup: [...DOMAIN, "service"],
  faults: SERVICE,
  http: SERVICE,
  daemon: [...SERVICE, "http", "faults"],
  doctor: [...SERVICE, "client", "http", "faults", "daemon"],
  smoke: [...SERVICE, "client", "http", "faults", "daemon"],
  cli: [...SERVICE, "client", "http", "faults", "daemon", "doctor", "smoke"],
};

module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(ROOMS).map(([room, allowed]) => ({
      name: `${room}-imports`,
      comment: `src/${room} may import from: ${[room, ...allowed].join(", ")}`,
      severity: "error",
      from: { path: `^src/${room}/` },
      to: { path: "^src/", pathNot: `^src/(${[room, ...allowed].join("|")})/` },
    })),
    {
      name: "listed-rooms",
      comment: "Every folder of src is a room of this list",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(${Object.keys(ROOMS).join("|")})/` },
      to: { path: "^src/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
