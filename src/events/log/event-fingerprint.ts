import { createHash } from "node:crypto";
import { canonicalJson } from "../../runtime/canonical-json.ts";
import { formatAddress } from "./event-address.ts";
import type { Batch, StoredEvent } from "../event.ts";

/**
 * Identifies an event in a replay: SHA-256 over its content and the id it was exported with.
 *
 * @param exportId empty for an event without an id
 */
export function fingerprint(event: StoredEvent, exportId: string): string {
  return createHash("sha256")
    .update(canonicalJson({ ...event, source_id: undefined }))
    .update(`\n${JSON.stringify(exportId)}`)
    .digest("base64url");
}

/**
 * The fingerprints that the events of a batch may have in a replay. An event that was replayed under an id keeps that id.
 * Any other is exported under its address, or was replayed without an id.
 */
export function* batchFingerprints(day: string, version: number, { events }: Batch): Generator<string> {
  for (const [index, event] of events.entries()) {
    if (event.source_id === undefined) {
      yield fingerprint(event, formatAddress(day, version, index));
      yield fingerprint(event, "");
    } else {
      yield fingerprint(event, event.source_id);
    }
  }
}
