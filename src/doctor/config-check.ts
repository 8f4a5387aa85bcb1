import { resolve } from "node:path";
import { describeOrigin } from "../config/config-errors.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { checkTlsFiles, TlsError } from "../daemon/tls-files.ts";
import { failed, type Finding, ok, warning } from "../storage/finding.ts";
import type { Check, CheckInput } from "./check.ts";

const DAY_MS = 86_400_000;
/** A certificate that expires sooner is a warning, days. */
const CERTIFICATE_DAYS = 21;

/** Where the configuration comes from, unknown variables, and the TLS files that it names. */
export function configCheck({ loaded, now }: CheckInput): Check {
  return {
    name: "config",
    bound_ms: 2000,
    async run() {
      const { tls } = loaded.config.server;
      return [
        sources(loaded),
        ...loaded.unknownVariables.map(unknownVariable),
        ...(tls === undefined ? [] : [await certificate(tls, loaded.baseDir, now)]),
      ];
    },
  };
}

function sources({ sources: known }: LoadedConfig): Finding {
  const set = [...known].filter(([, { kind }]) => kind !== "default");
  if (set.length === 0) return ok("source", "No file and no variable: every key has its default.");
  const bySource = new Map<string, string[]>();
  for (const [key, source] of set) {
    const text = describeOrigin(source);
    bySource.set(text, [...(bySource.get(text) ?? []), key]);
  }
  const parts = Array.from(bySource, ([source, keys]) =>
    keys.length > 3 ? `${keys.length} keys from ${source}` : `${keys.join(", ")} from ${source}`,
  );
  return ok("source", `${parts.join("; ")}; the rest are defaults.`);
}

function unknownVariable(variable: string): Finding {
  return warning(
    "environment",
    `${variable} is set, but anp has no such variable.`,
    "Unset it, or look for its name in `anp config schema`.",
  );
}

async function certificate(
  tls: { readonly cert_file: string; readonly key_file: string },
  baseDir: string,
  now: number,
): Promise<Finding> {
  const remedy = "Correct server.tls.cert_file and server.tls.key_file: PEM files that this user may read.";
  try {
    const found = await checkTlsFiles({ cert: resolve(baseDir, tls.cert_file), key: resolve(baseDir, tls.key_file) });
    const days = Math.floor((Date.parse(found.validTo) - now) / DAY_MS);
    const ends = new Date(found.validTo).toISOString();
    if (days < 0) return failed("tls", `The certificate expired at ${ends}.`, "Renew the certificate.");
    if (days < CERTIFICATE_DAYS)
      return warning("tls", `The certificate expires ${inDays(days)}.`, "Renew the certificate.");
    return ok("tls", `The certificate is valid until ${ends}, and the key belongs to it.`);
  } catch (error) {
    if (!(error instanceof TlsError)) throw error;
    return failed("tls", `${error.message}.`, remedy);
  }
}

function inDays(days: number): string {
  if (days === 0) return "within a day";
  return days === 1 ? "in 1 day" : `in ${days} days`;
}
