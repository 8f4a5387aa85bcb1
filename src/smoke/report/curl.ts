import type { PreparedStep } from "../run/prepare-step.ts";

/** A shell command that repeats the request. The token is the variable `tokenName`, so that no report contains it. */
export function curlLine({ method, url, headers, body }: PreparedStep["request"], tokenName: string): string {
  const words = ["curl", "-sS", "-i"];
  if (method === "HEAD") words.push("--head");
  else if (method !== (body === undefined ? "GET" : "POST")) words.push("-X", method);
  for (const [name, value] of Object.entries(headers))
    words.push("-H", name === "x-user-token" ? `"X-User-Token: $${tokenName}"` : quote(`${name}: ${value}`));
  if (body !== undefined) words.push("--data-raw", quote(body));
  words.push(quote(url));
  return words.join(" ");
}

/** A word of a shell command. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
