import { defineGroup } from "../../command.ts";
import { exportLedger } from "./export.ts";
import { list } from "./list.ts";
import { verify } from "./verify.ts";

export const ledger = defineGroup({
  name: "ledger",
  summary: "List, verify and export ledgers",
  commands: [list, verify, exportLedger],
  fallback: "list",
  examples: ["ledger alice", "ledger verify --all", "ledger export > ledgers.jsonl"],
});
