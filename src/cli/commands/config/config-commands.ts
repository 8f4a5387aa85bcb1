import { defineGroup } from "../../framework/define-command.ts";
import { schema } from "./schema.ts";
import { show } from "./show.ts";

export const config = defineGroup({
  name: "config",
  summary: "Show the configuration and all its keys",
  commands: [show, schema],
  examples: ["config show", "config show --config anp.yaml --json", "config schema > anp.yaml"],
});
