import { defineGroup } from "../../framework/define-command.ts";
import { adjust } from "./adjust.ts";

export const points = defineGroup({
  name: "points",
  summary: "Correct a user's points",
  commands: [adjust],
  examples: ['points adjust alice 50 --reason "goodwill for ticket 1234"'],
});
