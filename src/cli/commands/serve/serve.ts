import { defineCommand } from "../../command.ts";
import { optional } from "../../param.ts";
import { integer, oneOf, text } from "../../values.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Run the HTTP daemon",
  description:
    "Run the HTTP daemon: the API under /api/v1, /healthz, /readyz and /openapi.json. Logs are JSON lines on stderr. " +
    "SIGTERM or SIGINT drains: what runs is finished, up to server.drain_ms; a second one ends at once.",
  arguments: {},
  options: {
    host: optional("address", "address to listen on (server.host)", text(255)),
    port: optional("n", "port to listen on, 0 for a free one (server.port)", integer(0, 65_535)),
    logLevel: optional(
      "level",
      "debug, info, warn, error or silent (log.level)",
      oneOf("debug", "info", "warn", "error", "silent"),
    ),
  },
  examples: ["serve --demo", "serve --config anp.yaml --storage fs:/var/lib/anp --port 8080"],
  async run(values, context) {
    const { runDaemon } = await import("./daemon.ts");
    await runDaemon(values, context);
  },
});
