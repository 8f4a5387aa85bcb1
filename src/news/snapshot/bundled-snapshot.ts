import { readFile } from "node:fs/promises";
import { z } from "zod";
import { toIso } from "../../runtime/clock.ts";
import { timestamp } from "../../contract/schemas/shared-fields.ts";
import type { Logger } from "../../runtime/logger.ts";
import { cachedPromise } from "../../runtime/cache/cached-promise.ts";
import { packageFile } from "../../runtime/package-file.ts";

const bundledSnapshot = z.strictObject({
  published_at: timestamp, // Shown as the time of a sync that never happened.
  topics: z.array(z.strictObject({ zh: z.string(), en: z.string(), heat: z.number() })),
});

/** Hot topics that are true at any time, for when nothing else can be shown. */
export type BundledSnapshot = z.infer<typeof bundledSnapshot>;

/** The snapshot that is bundled with the package. */
export const readBundledSnapshot = async (file = packageFile("fixtures/fallback/hot-topics.json")) =>
  bundledSnapshot.parse(JSON.parse(await readFile(file, "utf8")));

/** Reads the bundled snapshot once. One that cannot be read is logged and replaced by an empty one. */
export const createBundledSnapshot = (logger: Logger, file?: URL): (() => Promise<BundledSnapshot>) =>
  cachedPromise(() =>
    readBundledSnapshot(file).catch((error: unknown) => {
      logger.error({ error: (error as Error).message }, "the bundled snapshot of hot topics cannot be read");
      return { published_at: toIso(0), topics: [] };
    }),
  );
