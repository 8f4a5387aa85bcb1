import type { LoadedConfig } from "../config/load-config.ts";
import { checkTlsFiles, TlsError, type TlsFiles, tlsFilesOf } from "../daemon/tls-files.ts";
import { DAY_MS } from "../runtime/clock.ts";
import { groupBy } from "../runtime/group-by.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const CERTIFICATE_DAYS = 21; // A certificate that expires sooner is a warning, days.

/** Where the configuration comes from, and the TLS files that it names. */
export async function checkConfig({ loaded, now }: CheckInput): Promise<Finding[]> {
  const { tls } = loaded.config.server;
  return [sources(loaded), ...(tls === undefined ? [] : [await certificate(tlsFilesOf(tls, loaded.baseDir), now)])];
}

function sources({ sources: known }: LoadedConfig): Finding {
  const set = [...known].filter(([, source]) => source !== "default");
  if (set.length === 0) return finding("allDefaults");
  const bySource = groupBy(set, ([, source]) => source);
  const named = (keys: typeof set) => (keys.length > 3 ? `${keys.length} keys` : keys.map(([key]) => key).join(", "));
  const parts = Array.from(bySource, ([source, keys]) => `${named(keys)} from ${source}`);
  return finding("sources", { parts: parts.join("; ") });
}

async function certificate(files: TlsFiles, now: number): Promise<Finding> {
  try {
    return expiryFinding((await checkTlsFiles(files)).validTo, now, "certificate");
  } catch (error) {
    if (!(error instanceof TlsError)) throw error;
    return finding("certificateUnusable", { reason: error.message });
  }
}

/** @param good the finding about a certificate that does not expire soon */
export function expiryFinding(validTo: string, now: number, good: "certificate" | "servedCertificate"): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const ends = new Date(validTo).toISOString();
  if (days < 0) return finding("certificateExpired", { ends });
  const soon = days === 0 ? "within a day" : days === 1 ? "in 1 day" : `in ${days} days`;
  return finding(days < CERTIFICATE_DAYS ? "certificateExpires" : good, { ends, soon });
}
