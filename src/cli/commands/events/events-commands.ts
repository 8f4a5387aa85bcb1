import { defineGroup } from "../../framework/define-command.ts";
import { exportEvents, stats } from "./read-events.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";

export const command = defineGroup("events", { record, replay, export: exportEvents, stats });
