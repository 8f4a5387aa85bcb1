import { defineGroup } from "../../framework/define-command.ts";
import { exportLedger, importLedger } from "./import.ts";
import { list } from "./list.ts";
import { show } from "./show.ts";
import { summary } from "./summary.ts";
import { verify } from "./verify.ts";

export const command = defineGroup({ list, show, summary, verify, export: exportLedger, import: importLedger }, "list");
