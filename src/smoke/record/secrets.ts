import { MIN_SECRET } from "../file/resolve-references.ts";
import type { RecordedCall } from "./recording-proxy.ts";

const TOKEN = /\banp_[\w-]{16,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*/g; // The daemon's own, and JWTs, wherever they are.

/** Replaces the tokens of recorded calls by references, as `${run.token}`: a file never holds a token.
 * @param known tokens of the daemon's users, by reference @param isComplete whether any other token is invalid */
export function createSecrets(calls: readonly RecordedCall[], known: Record<string, string>, isComplete: boolean) {
  const references = new Map(Object.entries(known).map(([reference, token]) => [token, reference]));
  const variables: string[] = [];
  let unknown = 0;
  for (const { target, headers, body, answer } of calls) {
    const answered = typeof answer === "string" ? answer : answer.text;
    const texts = [target, ...Object.values(headers), body.toString("latin1"), answered];
    const own = headers["x-user-token"];
    for (const token of [...(own ? [own] : []), ...(texts.join("\n").match(TOKEN) ?? [])]) {
      if (references.has(token)) continue;
      const name = `TOKEN_${++unknown}`;
      const used = calls.filter((call) => call.headers["x-user-token"] === token);
      // A refused token may be replaced by any other invalid one.
      const isRefused = isComplete || used.every(({ answer: got }) => typeof got === "object" && got.status === 401);
      if (!isRefused) variables.push(name);
      references.set(token, isRefused ? `\${env.${name}:-unknown}` : `\${env.${name}}`);
    }
  }
  const longestFirst = [...references].filter(([{ length }]) => length >= MIN_SECRET);
  longestFirst.sort(([a], [b]) => b.length - a.length);
  return {
    variables: variables as readonly string[], // Variables that a run of the file needs.
    referenceOf: (token: string): string => references.get(token)!, // The reference of a token that was in a header.
    /** How a text is written in a smoke file: `${` is escaped, and tokens are references. Other values are unchanged. */
    hide<T>(value: T): T {
      if (typeof value !== "string") return value;
      const escaped = value.replaceAll("${", () => "$${");
      return longestFirst.reduce((text, [token, reference]) => text.replaceAll(token, () => reference), escaped) as T;
    },
  };
}
