import { AnpError } from "../../../contract/errors.ts";
import { eventBody } from "../../../contract/schemas/event-schemas.ts";
import type { StoredEvent } from "../../../events/event.ts";
import { replayLines } from "../../../events/replay/replay-lines.ts";
import type { ReplayedEvent, Lines, ReplayOptions, ReplayReport } from "../../../events/replay/replay-lines.ts";
import type { StoredChunk } from "../../../events/replay/replay-lines.ts";
import { FingerprintCounts } from "../../../events/replay/fingerprint-counts.ts";
import { inOrder } from "../../../runtime/in-order.ts";
import { CommandFailure, EXIT } from "../../framework/command.ts";
import type { Operations } from "../../target/operations.ts";

const IN_FLIGHT = 8;
const CHUNK = 128; // Events between two reports of the progress.
const ATTEMPTS = 4; // For an event that a daemon cannot store at the moment.

/** Options of a replay; `pause` waits some seconds for a daemon's rate limit, and rejects to end the replay. */
export type PacedOptions = ReplayOptions & { readonly pause: (seconds: number) => Promise<void> };

type Rejected = NonNullable<StoredChunk["rejected"]>[number];

function keyOf(fingerprint: string, occurrence: number): string {
  const key = `replay-${Buffer.from(fingerprint, "latin1").toString("base64url")}`;
  return occurrence === 1 ? key : `${key}-${occurrence}`;
}

/** Sends the events of lines to a daemon, for the token's user, as fast as its rate limit allows, each with an
 * idempotency key of its content: it is stored once however often it is sent, dated by the daemon's clock.
 * @throws AnpError, UnreachableError as the client does; CommandFailure when the daemon cannot write its event log */
export async function replayToDaemon(
  { run, currentUser }: Pick<Operations, "run" | "currentUser">,
  lines: Lines,
  options: PacedOptions,
): Promise<ReplayReport> {
  const { dryRun, pause, chunk = CHUNK } = options;
  const me = await currentUser();
  const counts = new FingerprintCounts();
  let pausing: Promise<void> | undefined;

  function hold(seconds: number): void {
    pausing ??= pause(seconds).finally(() => (pausing = undefined));
    pausing.catch(() => undefined); // Its waiters see the rejection; there may be none.
  }

  const count = (sent: ReplayedEvent) => (sent.source_id === undefined ? counts.addSeen(sent.fingerprint) : 1);

  async function send(sent: ReplayedEvent, nth: number, attempt = 1): Promise<"stored" | "skipped" | Rejected> {
    const { fingerprint, json } = sent;
    const event = JSON.parse(json) as StoredEvent;
    if (event.user_id !== me) return { event: sent, reason: `user_id: is ${event.user_id}, but the token is ${me}'s` };
    if (dryRun) return "stored";
    await pausing;
    try {
      const input = { body: eventBody.parse(event) };
      const { data, replayed, pause_s } = await run("recordEvent", input, keyOf(fingerprint, nth));
      if (pause_s !== undefined) hold(pause_s);
      if (data.stored) return replayed === true ? "skipped" : "stored";
    } catch (error) {
      if (!(error instanceof AnpError)) throw error;
      if (error.code === 429 || (error.code === 503 && attempt < ATTEMPTS)) {
        hold(Number(error.headers["retry-after"] ?? 1));
        return send(sent, nth, attempt + 1);
      }
      if (error.code !== 422) throw error;
      const reason = error.fieldErrors.map((one) => `${one.path}: ${one.message}`).join("; ") || error.message;
      return { event: sent, reason };
    }
    throw new CommandFailure(EXIT.unreachable, "The daemon cannot write its event log.");
  }

  async function store(events: readonly ReplayedEvent[]): Promise<StoredChunk> {
    const occurrences = events.map(count); // From 1, of the equal lines without an id.
    const rejected: Rejected[] = [];
    let stored = 0;
    const sendNth = (index: number) => send(events[index]!, occurrences[index]!);
    for await (const result of inOrder(events.length, IN_FLIGHT, sendNth)) {
      if (result === "stored") stored += 1;
      else if (result !== "skipped") rejected.push(result);
    }
    return { stored, rejected };
  }

  return replayLines(lines, store, { ...options, chunk });
}
