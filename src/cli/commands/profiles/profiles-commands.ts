import { defineGroup } from "../../framework/define-command.ts";
import { add } from "./add.ts";
import { list } from "./list.ts";
import { remove } from "./remove.ts";
import { use } from "./use.ts";

export const profiles = defineGroup({
  name: "profiles",
  summary: "Save daemons' addresses and tokens by name",
  commands: [list, add, use, remove],
  examples: [
    "profiles add staging --url https://anp.staging.example",
    "quota --profile staging",
    "profiles use --none",
  ],
});
