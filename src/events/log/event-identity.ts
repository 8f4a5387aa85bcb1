import { createHash } from "node:crypto";
import { canonicalJson } from "../../runtime/canonical-json.ts";
import { formatAddress } from "./event-address.ts";
import type { Batch, StoredEvent } from "../event.ts";

/**
 * What makes an event the same event in a replay: SHA-256 over its content and the id it was exported with.
 *
 * @param exportId empty for an event that came without an id
 */
export function identityOf(event: StoredEvent, exportId: string): string {
  return createHash("sha256")
    .update(canonicalJson({ ...event, source_id: undefined }))
    .update(`\n${JSON.stringify(exportId)}`)
    .digest("base64url");
}

/**
 * The identities under which the events of a batch may come back. One replayed under an id keeps that id. Any other
 * comes back from an export under its address; or without an id, when it first came so.
 */
export function* identitiesOf(day: string, version: number, { events }: Batch): Generator<string> {
  for (const [index, event] of events.entries()) {
    if (event.source_id === undefined) {
      yield identityOf(event, formatAddress(day, version, index));
      yield identityOf(event, "");
    } else {
      yield identityOf(event, event.source_id);
    }
  }
}
