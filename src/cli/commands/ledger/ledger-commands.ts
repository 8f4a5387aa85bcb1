import { defineGroup } from "../../framework/define-command.ts";
import { exportLedger } from "./export.ts";
import { list } from "./list.ts";
import { search, top } from "./search.ts";
import { show } from "./show.ts";
import { summary } from "./summary.ts";
import { verify } from "./verify.ts";

export const command = defineGroup(
  "ledger",
  { list, show, summary, search, top, verify, export: exportLedger },
  "list",
);
