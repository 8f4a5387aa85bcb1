import { printLocation } from "../news/sources/read-source.ts";
import { failed, type Finding, ok, unreachable } from "../storage/finding.ts";
import { type Check, type CheckInput, networkReason, withTimeout } from "./check.ts";

/** Longest wait for the key set, ms. */
const ANSWER_MS = 5000;

/** Whether the keys that verify the platform's tokens can be fetched. */
export function jwksCheck({ loaded: { config } }: CheckInput): Check {
  return {
    name: "platform tokens",
    bound_ms: ANSWER_MS + 2000,
    async run(signal) {
      const { jwt } = config.auth;
      if (jwt === undefined) return [ok("keys", "Not configured: users log in with tokens of this service.")];
      if (jwt.jwks_url === undefined) return [ok("keys", "Checked with a shared secret.")];
      return [await probe(jwt.jwks_url, signal)];
    },
  };
}

async function probe(url: string, signal: AbortSignal): Promise<Finding> {
  const place = printLocation(url);
  const remedy = "Check auth.jwt.jwks_url. Until then users with the platform's tokens get 500.";
  try {
    const response = await fetch(url, { signal: withTimeout(signal, ANSWER_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return unreachable("keys", `${place} answers ${response.status}.`, remedy);
    }
    const { keys } = (await response.json()) as { keys?: unknown };
    if (!Array.isArray(keys)) return failed("keys", `${place} is not a key set.`, remedy);
    if (keys.length === 0) return failed("keys", `${place} has no keys.`, remedy);
    return ok("keys", `${place} has ${keys.length} ${keys.length === 1 ? "key" : "keys"}.`);
  } catch (error) {
    if (error instanceof SyntaxError) return failed("keys", `${place} is not JSON.`, remedy);
    return unreachable("keys", `${place} does not answer: ${networkReason(error)}.`, remedy);
  }
}
