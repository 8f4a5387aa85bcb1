import { hash } from "node:crypto";
import { canonicalJson, sha256 } from "../../runtime/json/canonical-json.ts";
import type { StoredEvent } from "../event.ts";

/** The canonical JSON of an event without its id, independent of the order of fields. */
export const contentOf = (event: StoredEvent): string => canonicalJson({ ...event, source_id: undefined });

/** Identifies an event in a replay: SHA-256 of its content and exported id (or empty), as 32 characters of one byte. */
export const fingerprint = (content: string, sourceId: string): string =>
  hash("sha256", `${content}\n${JSON.stringify(sourceId)}`, "binary");

/** Makes an id that another event has, too, unique by a hash of the content. */
export const uniqueId = (id: string, content: string): string => `${id}-${sha256(content).slice(0, 8)}`;

/** The id of an exported event as logs know it: without the suffix of {@link uniqueId}. */
export function sourceIdOf(id: string, content: string): string {
  const plain = id.replace(/-[0-9a-f]{8}$/, "");
  return plain !== id && id === uniqueId(plain, content) ? plain : id;
}
