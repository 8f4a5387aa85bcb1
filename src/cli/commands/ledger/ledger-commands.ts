import { defineGroup } from "../../framework/define-command.ts";
import { exportLedger } from "./export.ts";
import { importLedger } from "./import.ts";
import { list } from "./list.ts";
import { show } from "./show.ts";
import { summary } from "./summary.ts";
import { verify } from "./verify.ts";

export const ledger = defineGroup({
  name: "ledger",
  summary: "List, verify, export and import ledgers",
  commands: [list, show, summary, verify, exportLedger, importLedger],
  fallback: "list",
  examples: ["ledger alice", "ledger verify --all", "ledger export > ledgers.jsonl"],
});
