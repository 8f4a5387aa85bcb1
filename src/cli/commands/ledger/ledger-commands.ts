import { defineGroup } from "../../framework/define-command.ts";
import { exportLedger } from "./export.ts";
import { list } from "./list.ts";
import { search, top } from "./search.ts";
import { show } from "./show.ts";
import { summary } from "./summary.ts";
import { verify } from "./verify.ts";

const verbs = { list, show, summary, search, top, verify, export: exportLedger };
export const command = defineGroup("ledger", verbs, "list");
