import type { OperationData } from "../../../contract/endpoints.ts";
import { defineCommand } from "../../command.ts";
import { optional, required } from "../../param.ts";
import { printRows, showDelta, showInstant, type Column } from "../../print.ts";
import { runOperation } from "../../session.ts";
import { integer, userId } from "../../values.ts";

type Item = OperationData<"getLedger">["items"][number];

const COLUMNS: readonly Column<Item>[] = [
  { name: "id", of: ({ id }) => id },
  { name: "created_at", of: ({ created_at }) => created_at, show: ({ created_at }) => showInstant(created_at) },
  { name: "type", of: ({ type }) => type },
  { name: "delta", of: ({ delta }) => delta, show: ({ delta }, terminal) => showDelta(delta, terminal) },
  { name: "description", of: ({ description }) => description, wide: true },
  { name: "ref_id", of: ({ ref_id }) => ref_id, machine: true },
];

export const list = defineCommand({
  name: "list",
  summary: "List a user's ledger, newest first",
  description: "List a user's ledger, newest first. `anp ledger USER` is short for it.",
  arguments: { user: required("USER", "id of the user", userId) },
  options: {
    page: optional("n", "page, from 1", integer()),
    pageSize: optional("n", "entries a page, 1 to 100; 20 when left out", integer()),
  },
  examples: ["ledger alice", "ledger list alice --page 2 --page-size 50 --json"],
  async run({ user, page, pageSize }, context) {
    const query = {
      ...(page === undefined ? {} : { page }),
      ...(pageSize === undefined ? {} : { page_size: pageSize }),
    };
    const { data } = await runOperation(context, "getLedger", { user, input: { query } });
    await printRows(context, { data, rows: data.items, columns: COLUMNS });
    const pages = Math.ceil(data.total / data.page_size);
    if (data.total === 0) context.terminal.say(`The ledger of ${user} is empty.`);
    else if (pages > 1) context.terminal.say(`Page ${data.page} of ${pages}, ${data.total} entries.`);
  },
});
