import { defineCommand } from "../../framework/define-command.ts";
import { optional, toggle } from "../../framework/param.ts";
import { integer, oneOf, text } from "../../framework/value-readers.ts";
import { faultFlag } from "./fault-flag.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Run the HTTP daemon",
  description:
    "Run the HTTP daemon: the API under /api/v1, /docs, /openapi.json, /healthz, /readyz and /metrics. Logs are JSON " +
    "lines on stderr. " +
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
    requireDurable: toggle("refuse to start on a storage that may lose what it has acknowledged"),
    fault: faultFlag,
  },
  examples: ["serve --demo", "serve --config anp.yaml --storage fs:/var/lib/anp --port 8080"],
  async run(values, context) {
    const { holdYoungHeap } = await import("./young-heap.ts");
    // Before anything else is loaded: that alone would make it grow.
    const growHeap = holdYoungHeap();
    const { runDaemon } = await import("../../../daemon/run-daemon.ts");
    await runDaemon(values, context, growHeap);
  },
});
