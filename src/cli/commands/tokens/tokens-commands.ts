import { defineGroup } from "../../framework/define-command.ts";
import { issue } from "./issue.ts";
import { list } from "./list.ts";
import { revoke } from "./revoke.ts";

export const tokens = defineGroup({
  name: "tokens",
  summary: "Issue, list and revoke users' tokens",
  commands: [issue, list, revoke],
  examples: ["tokens issue alice --expires 30d", "tokens list alice", "tokens revoke 1f2e3d4c5b6a7988"],
});
