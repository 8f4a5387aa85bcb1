import type { z } from "zod";
import type { refreshResult } from "../../contract/schemas/news-schemas.ts";
import { toIso } from "../../runtime/clock.ts";
import type { SnapshotRecord } from "../snapshot/snapshot-document.ts";

export type RefreshResult = z.infer<typeof refreshResult>;

/** The answer of a refresh that was published. @param never ISO 8601 time to show for a sync that never happened */
export const resultOf = (record: SnapshotRecord, never: string, mode = record.mode): RefreshResult => ({
  refresh_mode: mode,
  news_updated_count: record.news_updated,
  notice_updated_count: mode === "view" ? 0 : record.notice_updated,
  topic_rebuild_count: record.topic_rebuild,
  last_full_sync_at: record.last_full_ms === null ? never : toIso(record.last_full_ms),
  sentiment_updated_at: record.sentiment_ms === null ? never : toIso(record.sentiment_ms),
});
