import { defineGroup } from "../../framework/define-command.ts";
import { set } from "./set.ts";
import { show } from "./show.ts";

export const subscription = defineGroup({
  name: "subscription",
  summary: "Show and set a user's plan",
  commands: [show, set],
  examples: ["subscription show carol", "subscription set alice --plan pro --expires 30d"],
});
