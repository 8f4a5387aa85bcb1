import { defineGroup } from "../../framework/define-command.ts";
import { exportEvents } from "./export.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";
import { stats } from "./stats.ts";

export const events = defineGroup({
  name: "events",
  summary: "Record, replay, export and count behaviour events",
  commands: [record, replay, exportEvents, stats],
  examples: ["events export > events.ndjson", "events replay events.ndjson --dry-run", "events stats"],
});
