import { AnpError } from "../../../contract/errors.ts";
import { eventBody } from "../../../contract/schemas/event-schemas.ts";
import {
  replayLines,
  type ReplayedEvent,
  type ReplayOptions,
  type StoredChunk,
} from "../../../events/replay/replay-lines.ts";
import type { ReplayReport, UnreadableLine } from "../../../events/replay/replay-lines.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import type { Operations } from "../../target/operations.ts";

/** Events that are on their way at once. */
const IN_FLIGHT = 8;
/** Events between two points that a later run can go on from. */
const CHUNK = 128;

/**
 * Sends the events of lines to a daemon, in the name of the token's user. Each goes under an idempotency key made of
 * what it is, so that the daemon stores it once however often it is sent. The daemon dates events by its own clock.
 *
 * @throws AnpError, UnreachableError as the daemon answers; CommandFailure when it cannot store
 */
export async function replayToDaemon(
  { run, whose }: Operations,
  lines: AsyncIterable<string | UnreadableLine>,
  options: ReplayOptions & { readonly dryRun: boolean },
): Promise<ReplayReport> {
  const { dryRun, chunk = CHUNK } = options;
  const me = await whose();

  /** What became of one event: whether it was there before, or why it was rejected. */
  async function send({ identity, event }: ReplayedEvent): Promise<"stored" | "skipped" | { reason: string }> {
    if (event.user_id !== me) return { reason: `user_id: is ${event.user_id}, but the token is ${me}'s` };
    if (dryRun) return "stored";
    try {
      const { data, replayed } = await run("recordEvent", { body: eventBody.parse(event) }, `replay-${identity}`);
      if (data.stored) return replayed === true ? "skipped" : "stored";
    } catch (error) {
      if (!(error instanceof AnpError) || error.code !== 422) throw error;
      return {
        reason: error.fieldErrors.map(({ path, message }) => `${path}: ${message}`).join("; ") || error.message,
      };
    }
    throw new CommandFailure(EXIT.unreachable, "The daemon cannot write its event log.");
  }

  async function store(chunkOf: readonly ReplayedEvent[]): Promise<StoredChunk> {
    const results: Awaited<ReturnType<typeof send>>[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < chunkOf.length) {
        const index = next++;
        try {
          results[index] = await send(chunkOf[index]!);
        } catch (error) {
          // What is on its way still comes to its end; nothing more is sent.
          next = chunkOf.length;
          throw error;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, work));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const rejected = results.flatMap((result, index) =>
      typeof result === "string" ? [] : [{ event: chunkOf[index]!, reason: result.reason }],
    );
    const stored = results.filter((result) => result === "stored").length;
    return { stored, skipped: results.length - stored - rejected.length, rejected };
  }

  return replayLines(lines, store, { ...options, chunk });
}
