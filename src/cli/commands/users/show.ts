import { defineCommand } from "../../command.ts";
import { required } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { withSession } from "../../session.ts";
import { userId } from "../../values.ts";
import { detailsOf } from "./details.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's profile, points, quota and plan",
  arguments: { user: required("USER", "id of the user", userId) },
  options: {},
  examples: ["users show alice", "users show alice --json"],
  async run({ user }, context) {
    await printRecord(context, await withSession(context, ({ service }) => detailsOf(service, user)));
  },
});
