import { describeOrigin } from "../config/config-errors.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { checkTlsFiles, TlsError, type TlsFiles, tlsFilesOf } from "../daemon/tls-files.ts";
import type { Finding } from "../storage/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const DAY_MS = 86_400_000;
/** A certificate that expires sooner is a warning, days. */
const CERTIFICATE_DAYS = 21;

/** Where the configuration comes from, unknown variables, and the TLS files that it names. */
export async function checkConfig({ loaded, now }: CheckInput): Promise<Finding[]> {
  const { tls } = loaded.config.server;
  return [
    sources(loaded),
    ...loaded.unknownVariables.map((variable) => finding("unknownVariable", { variable })),
    ...(tls === undefined ? [] : [await certificate(tlsFilesOf(tls, loaded.baseDir), now)]),
  ];
}

function sources({ sources: known }: LoadedConfig): Finding {
  const set = [...known].filter(([, { kind }]) => kind !== "default");
  if (set.length === 0) return finding("allDefaults");
  const bySource = new Map<string, string[]>();
  for (const [key, source] of set) {
    const text = describeOrigin(source);
    bySource.set(text, [...(bySource.get(text) ?? []), key]);
  }
  const parts = Array.from(bySource, ([source, keys]) =>
    keys.length > 3 ? `${keys.length} keys from ${source}` : `${keys.join(", ")} from ${source}`,
  );
  return finding("sources", { parts: parts.join("; ") });
}

async function certificate(files: TlsFiles, now: number): Promise<Finding> {
  try {
    const found = await checkTlsFiles(files);
    const days = Math.floor((Date.parse(found.validTo) - now) / DAY_MS);
    const ends = new Date(found.validTo).toISOString();
    if (days < 0) return finding("certificateExpired", { ends });
    return finding(days < CERTIFICATE_DAYS ? "certificateExpires" : "certificate", { ends, soon: inDays(days) });
  } catch (error) {
    if (!(error instanceof TlsError)) throw error;
    return finding("certificateUnusable", { reason: error.message });
  }
}

function inDays(days: number): string {
  if (days === 0) return "within a day";
  return days === 1 ? "in 1 day" : `in ${days} days`;
}
