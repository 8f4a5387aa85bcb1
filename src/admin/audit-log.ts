import { z } from "zod";
import { ROLES } from "../contract/roles.ts";
import { linkError } from "../ledger/chain.ts";
import { digest, hashEntry } from "../ledger/entry.ts";
import { collect, take } from "../runtime/batches.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { readDocument, writeDocument } from "../storage/documents.ts";
import { type Key, type Storage, catchDamage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { MAX_CLOCK_SKEW_MS } from "./ledger-reader.ts";

/** One entry of the audit log: a call that begins, the end of one, or a call that was refused. */
export const auditEntry = z.strictObject({
  id: z.int().min(1),
  at: z.iso.datetime(),
  call: z.string(), // The request id, as in the daemon's log.
  operator: z.string(),
  role: z.enum(ROLES).nullable(), // Null, like the address, for a command on the storage itself.
  address: z.string().nullable(),
  command: z.string(),
  user: z.string().nullable(), // The user that the call is about.
  /** Without secrets and without free text, of which only the length is kept, so that erasures need not change it. */
  arguments: z.record(z.string(), z.json()),
  began: z.int().min(1).optional(), // Number of the entry in which the call began, at its end.
  outcome: z.string().nullable(), // How it ended; null at its beginning.
  prev: digest, // `hash` of the entry before.
  hash: digest, // SHA-256 of the canonical JSON of all other fields.
});

type AuditEntry = z.infer<typeof auditEntry>;
/** The caller and the command of a call. */
export type AuditCall = Omit<AuditEntry, "id" | "at" | "began" | "outcome" | "prev" | "hash">;
/** A call as `anp audit list` shows it. */
export type AuditRow = Omit<AuditEntry, "began" | "prev" | "hash" | "outcome"> & { readonly outcome: string };
const GENESIS = sha256("anp audit log");

const LAST: Key = ["operators", "audit", "head"]; // It may lag. An archive takes it before the log, as any `head`.
const lastEntry = auditEntry.pick({ id: true, hash: true });
const PAGE = 256;

/** The append-only log of operators' calls, a hash chain. A changed or removed entry is detected, even if the last ones
 * are removed with all traces in the log's own keys, since the last entry's hash is also stored with the operators.
 * Replacing that hash, too, or rewriting the chain, is not detected. */
export function createAuditLog({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
  const stream = new Stream(storage, ["audit", "log"], auditEntry);

  async function append(call: AuditCall, end: Pick<AuditEntry, "began" | "outcome">): Promise<number> {
    for (let version = await stream.head(); ;) {
      const last = version === 0 ? undefined : await stream.stored(version);
      if (version > 0 && last === undefined) throw stream.missing(version);
      // The last entry may be visible before it is durable.
      if (last !== undefined) await storage.confirm(stream.keyOf(version), last.text);
      const fields = { id: version + 1, at: toIso(clock.now()), ...call, ...end, prev: last?.item.hash ?? GENESIS };
      const written = { ...fields, hash: hashEntry(fields) };
      const text = JSON.stringify(written);
      const outcome = await stream.appendText(version, text, { previous: last?.text });
      if (outcome === "created") return keepLast(storage, stream, written);
      version = await stream.headAfterRefusal(version);
      // A conflict with this entry itself: the reply to its append was lost.
      if (outcome !== "conflict" || (await stream.stored(fields.id))?.text !== text) continue;
      await storage.confirm(stream.keyOf(fields.id), text);
      return keepLast(storage, stream, written);
    }
  }

  return {
    /** Records that a call begins, before it runs; the returned function records how it ended, as `exit 0`. */
    async begin(call: AuditCall): Promise<(outcome: string) => Promise<number>> {
      const began = await append(call, { outcome: null });
      return (outcome) => append(call, { began, outcome });
    },
    refused: (call: AuditCall) => append(call, { outcome: "refused" }), // Records a call that does not run.
    /** Calls from `since` to `until`, ms since the epoch, newest first, with outcomes; `unfinished` without one. */
    async *newestFirst(since = -Infinity, until = Infinity): AsyncGenerator<AuditRow> {
      const outcomes = new Map<number, string | null>();
      for (let to = await stream.head(); to >= 1; to -= PAGE) {
        const page = await stream.read(Math.max(1, to - PAGE + 1), to);
        for (const { began, prev: _prev, hash: _hash, ...entry } of page.toReversed()) {
          const outcome = entry.outcome ?? outcomes.get(entry.id) ?? "unfinished";
          outcomes.delete(entry.id);
          const at = Date.parse(entry.at);
          if (began !== undefined) outcomes.set(began, outcome);
          else if (at >= since && at <= until) yield { ...entry, outcome };
        }
        if (Date.parse(page[0]!.at) < since - MAX_CLOCK_SKEW_MS) return;
      }
    },
    /** Checks every entry and the chain. `fault` is the first damaged one; later ones are not checked. */
    verify: () => verifyLog(storage, stream),
  };
}

/** Keeps the stored hash of an entry that is missing, as proof of the loss. */
async function keepLast(storage: Storage, log: Stream<AuditEntry>, { id, hash }: z.infer<typeof lastEntry>) {
  const kept = await readDocument(storage, LAST, lastEntry);
  const before = kept && (await catchDamage(log.get(kept.id), () => undefined));
  if (!kept || (kept.id < id && before?.hash === kept.hash)) await writeDocument(storage, LAST, { id, hash });
  return id;
}

async function verifyLog(storage: Storage, log: Stream<AuditEntry>) {
  const running = new Set<number>();
  let last: AuditEntry | undefined;
  async function firstFault(): Promise<string | null> {
    const kept = await readDocument(storage, LAST, lastEntry); // Before the log, which may grow meanwhile.
    for await (const { item } of log.items()) {
      const error = linkError(item, last, last?.hash ?? GENESIS);
      if (error !== undefined) return `entry ${(last?.id ?? 0) + 1}: ${error}`;
      if (item.id === kept?.id && item.hash !== kept.hash) return `entry ${item.id} is not the one that was written`;
      if (item.began !== undefined) running.delete(item.began);
      else if (item.outcome === null) running.add(item.id);
      last = item;
    }
    if (kept !== undefined && kept.id > (last?.id ?? 0)) return `entries are gone: ${kept.id} were written`;
    if (last !== undefined) return null; // The first operator is recorded before there is a token.
    const operators = await collect(take(storage.children(["operators", "users"]), 1));
    return operators.length > 0 ? "it is gone: there are operators, and no entry" : null;
  }
  const fault = await catchDamage(firstFault(), ({ message }) => message);
  return { entries: last?.id ?? 0, unfinished: running.size, fault };
}
