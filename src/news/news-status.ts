import { toIso } from "../runtime/clock.ts";
import type { Coverage } from "./snapshot/coverage.ts";
import type { Projection } from "./snapshot/projection.ts";
import type { RefreshMode, SourceState } from "./snapshot/snapshot-document.ts";

/** The state of one source. */
export interface SourceStatus {
  readonly id: string;
  readonly kind: SourceState["kind"];
  readonly name: string;
  /** URL or path, without credentials. */
  readonly url: string;
  readonly ok: boolean;
  readonly items: number;
  /** ISO 8601; null when it never succeeded. */
  readonly last_ok_at: string | null;
  readonly last_error: string | null;
}

export interface NewsStatus {
  /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
  readonly version: number;
  readonly published_at: string | null;
  readonly last_full_sync_at: string | null;
  readonly sentiment_updated_at: string | null;
  readonly mode: RefreshMode | null;
  readonly items: number;
  readonly topics: number;
  readonly notices: number;
  readonly help: number;
  readonly coverage: Coverage;
  readonly sources: readonly SourceStatus[];
}

/** The state of the newest snapshot, or of none. */
export function statusOf(projection: Projection | undefined): NewsStatus {
  const record = projection?.snapshot.record;
  return {
    version: projection?.snapshot.version ?? 0,
    published_at: isoOrNull(record?.published_ms),
    last_full_sync_at: isoOrNull(record?.last_full_ms),
    sentiment_updated_at: isoOrNull(record?.sentiment_ms),
    mode: record?.mode ?? null,
    items: projection?.items.length ?? 0,
    topics: projection?.topics.length ?? 0,
    notices: projection?.notices.length ?? 0,
    help: projection?.help.length ?? 0,
    coverage: record?.coverage ?? {},
    sources: (record?.sources ?? []).map(({ id, kind, name, url, ok, items, last_ok_ms, last_error }) => ({
      id,
      kind,
      name,
      url,
      ok,
      items,
      last_ok_at: isoOrNull(last_ok_ms),
      last_error,
    })),
  };
}

function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : toIso(ms);
}
