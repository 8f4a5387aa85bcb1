import type { Verification } from "../../../ledger/verify.ts";
import { defineCommand } from "../../command.ts";
import { CommandFailure, EXIT, UsageError } from "../../exit.ts";
import { optional, toggle } from "../../param.ts";
import { printRows, type Column } from "../../print.ts";
import { withSession } from "../../session.ts";
import { userId } from "../../values.ts";
import { knownUsers } from "./known-users.ts";

const COLUMNS: readonly Column<Verification>[] = [
  { name: "user_id", of: ({ user_id }) => user_id },
  { name: "entries", of: ({ entries }) => entries },
  { name: "balance", of: ({ balance }) => balance },
  {
    name: "state",
    of: ({ fault }) => (fault === undefined ? "ok" : "fault"),
    show: ({ fault }, terminal) =>
      fault === undefined ? terminal.paint("green", "ok") : terminal.paint("red", "fault"),
  },
  { name: "fault_entry", of: ({ fault }) => fault?.entry },
  { name: "fault", of: ({ fault }) => fault?.message, wide: true },
];

export const verify = defineCommand({
  name: "verify",
  summary: "Check every entry of a user's ledger, or of all",
  description:
    "Check every entry of a user's ledger, or of all: the hash chain, the sums, the numbering, the index of operations. " +
    "Exit code 1 when anything is wrong; the first wrong entry is named. Nothing is changed.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: { all: toggle("all users") },
  examples: ["ledger verify alice", "ledger verify --all --json"],
  async run({ user, all }, context) {
    if (user !== undefined && all) throw new UsageError("USER and --all exclude each other.");
    const { lostProfiles, verifyLedger } = await import("../../../ledger/verify.ts");
    const rows = await withSession(context, async ({ service }) => {
      const found: Verification[] = [];
      for (const id of await knownUsers(service, user)) {
        context.terminal.progress(`verifying ${id}`);
        found.push(await verifyLedger(service.storage, id));
      }
      if (user === undefined) {
        for await (const id of lostProfiles(service.storage)) {
          const message = "the ledger is there while the user's profile is missing";
          found.push({ ...(await verifyLedger(service.storage, id)), fault: { entry: 1, message } });
        }
      }
      context.terminal.progress("");
      return found;
    });
    const data = rows.map((row) => ({ ...row, state: row.fault === undefined ? "ok" : "fault" }));
    await printRows(context, { data, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no users.");
    const faults = rows.flatMap(({ user_id, fault }) => (fault === undefined ? [] : [{ user_id, ...fault }]));
    if (faults.length > 0) {
      const lines = faults.map(({ user_id, entry, message }) => `${user_id}: entry ${entry}: ${message}`);
      throw new CommandFailure(EXIT.failure, lines.join("\n"));
    }
  },
});
