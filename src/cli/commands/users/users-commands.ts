import { defineGroup } from "../../framework/define-command.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";
import { show } from "./show.ts";

export const users = defineGroup({
  name: "users",
  summary: "List, show and create users",
  commands: [list, show, create],
  examples: ["users list", "users show alice", "users create dave --quota 10 --lang en"],
});
