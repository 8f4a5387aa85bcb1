import { toIso } from "../runtime/clock.ts";
import type { Projection } from "./jobs/held-snapshots.ts";

export type NewsStatus = Readonly<ReturnType<typeof statusOf>>;

/** The state of the newest snapshot, or of none, and of each source. Times are ISO 8601, null for what never was. */
export function statusOf(projection: Projection | undefined) {
  const record = projection?.snapshot.record;
  return {
    /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
    version: projection?.snapshot.version ?? 0,
    published_at: isoOrNull(record?.published_ms),
    last_full_sync_at: isoOrNull(record?.last_full_ms),
    sentiment_updated_at: isoOrNull(record?.sentiment_ms),
    mode: record?.mode ?? null,
    items: projection?.items.length ?? 0,
    topics: projection?.topicCount ?? 0,
    notices: projection?.notices.length ?? 0,
    help: projection?.help.length ?? 0,
    coverage: record?.coverage ?? {},
    sources: (record?.sources ?? []).map(({ id, kind, name, url, ok, items, last_ok_ms, last_error }) => {
      return { id, kind, name, url, ok, items, last_ok_at: isoOrNull(last_ok_ms), last_error };
    }),
  };
}

function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : toIso(ms);
}
