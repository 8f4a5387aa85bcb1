import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../../config/config-errors.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { isRemote } from "./read-source.ts";

/**
 * Checks that the files of notices and help fit their bound: a daemon that leaves them out would answer nothing.
 *
 * @throws ConfigError that names each setting whose file is larger than `news.max_bytes`
 */
export async function checkListingSizes(config: NewsConfig, baseDir: string): Promise<void> {
  const listings = { "news.notices": config.notices, "news.help.zh": config.help.zh, "news.help.en": config.help.en };
  const errors: string[] = [];
  for (const [key, location] of Object.entries(listings)) {
    if (location === undefined || isRemote(location)) continue;
    // A file that is not there yet is reported by the refresh, like a server that does not answer.
    const size = await stat(resolve(baseDir, location)).then(
      (found) => found.size,
      () => 0,
    );
    if (size > config.max_bytes) {
      errors.push(`${key}: ${location} has ${size} bytes, more than news.max_bytes (${config.max_bytes})`);
    }
  }
  if (errors.length > 0) throw new ConfigError(errors);
}
