import type { Storage } from "../../storage/storage.ts";
import { loggedEvents, type DayRange } from "../log/day-log.ts";

/**
 * The events of the range as lines of JSON without line ends, in the order of the log, in bounded memory. An event's id is
 * the one it was first exported under, so that it keeps its id through several storages.
 *
 * @throws CorruptionError that names the key of a damaged batch
 * @throws AnpError 422 when a bound of the range is not a day
 */
export async function* exportEvents(storage: Storage, range: DayRange): AsyncGenerator<string> {
  for await (const { event_id, source_id, ...event } of loggedEvents(storage, range)) {
    yield JSON.stringify({ event_id: source_id ?? event_id, ...event });
  }
}
