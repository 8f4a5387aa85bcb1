import { defineGroup } from "../../framework/define-command.ts";
import { copy } from "./copy.ts";
import { exportStorage } from "./export.ts";
import { importStorage } from "./import.ts";
import { accept, info } from "./identity.ts";

export const command = defineGroup({ accept, copy, export: exportStorage, import: importStorage, info });
