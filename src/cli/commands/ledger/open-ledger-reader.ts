import { storedRowReader, type LedgerReader } from "../../../admin/ledger-reader.ts";
import type { AccountOperations } from "../../target/operations.ts";
import { DaemonLedgerReader } from "./daemon-ledger-reader.ts";

/** Reads a user's ledger from the storage or the daemon that the command works on. */
export function openLedgerReader(operations: AccountOperations, user: string): LedgerReader {
  const { session } = operations;
  return session === undefined ? new DaemonLedgerReader(operations) : storedRowReader(session.service.ledger, user);
}
