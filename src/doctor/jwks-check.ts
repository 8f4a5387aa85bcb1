import { printLocation } from "../news/sources/read-source.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding, networkReason, withTimeout } from "./check.ts";

const ANSWER_MS = 5000;
/** How long the check may take, ms. */
export const KEYS_MS = ANSWER_MS + 2000;

/** Whether the keys that verify the platform's tokens can be fetched. */
export async function checkKeys({ loaded: { config } }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { jwt } = config.auth;
  if (jwt === undefined) return [finding("noKeys")];
  return [jwt.jwks_url === undefined ? finding("sharedSecret") : await probe(jwt.jwks_url, signal)];
}

async function probe(url: string, signal: AbortSignal): Promise<Finding> {
  const place = printLocation(url);
  try {
    const response = await fetch(url, { signal: withTimeout(signal, ANSWER_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return finding("keysDown", { place, answer: `answers ${response.status}` });
    }
    const { keys } = (await response.json()) as { keys?: unknown };
    if (!Array.isArray(keys)) return finding("wrongKeys", { place, reason: "is not a key set" });
    if (keys.length === 0) return finding("wrongKeys", { place, reason: "has no keys" });
    return finding("keys", { place, count: `${keys.length} ${keys.length === 1 ? "key" : "keys"}` });
  } catch (error) {
    if (error instanceof SyntaxError) return finding("wrongKeys", { place, reason: "is not JSON" });
    return finding("keysDown", { place, answer: `does not answer: ${networkReason(error)}` });
  }
}
