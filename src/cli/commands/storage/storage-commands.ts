import { defineGroup } from "../../framework/define-command.ts";
import { copy } from "./copy.ts";
import { exportStorage } from "./export.ts";
import { importStorage } from "./import.ts";

export const storage = defineGroup({
  name: "storage",
  summary: "Copy, back up and restore everything that is stored",
  commands: [copy, exportStorage, importStorage],
  examples: [
    "storage copy --storage fs:./data --to redis://localhost:6379/0",
    "storage export | gzip > backup.jsonl.gz",
    "storage import backup.jsonl --storage fs:./restored",
  ],
});
