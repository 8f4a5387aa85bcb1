import type { FixtureUser } from "../admin/load-fixture.ts";

interface Started {
  readonly url: string;
  readonly storage: string;
  readonly metrics: string | undefined; // URL of the metrics, if they have a separate port.
  readonly admin: string | undefined;
  readonly faults: readonly string[] | undefined;
  readonly users: readonly FixtureUser[] | undefined; // Of a fixture; their tokens are shown.
}

/** The start line of the log, written at any level, since log readers need the address. It has no tokens. */
export function startLine({ url, storage, metrics, admin, faults }: Started, time: string): string {
  const pages = [`${url}/`, `${url}/docs`];
  const msg = `anp listens on ${url} with ${storage}`;
  return JSON.stringify({ level: "info", time, url, pages, storage, metrics, admin, faults, msg });
}

/** The text for the person who starts a daemon: its address, its storage, and a first call. */
export function startBanner({ url, storage, admin, faults, users }: Started): string {
  const lines = [`anp listens on ${url}`, `storage: ${storage}`, `in a browser: ${url}/ and ${url}/docs`];
  if (admin !== undefined) lines.push(`admin address: ${admin}`);
  if (faults !== undefined) lines.push(`faults: ${faults.join(" ")}`);
  const first = users?.[0];
  if (users !== undefined && first !== undefined) {
    const width = Math.max(...users.map(({ user_id }) => user_id.length));
    lines.push("tokens of the fixture's users:");
    lines.push(...users.map(({ user_id, token }) => `  ${user_id.padEnd(width)}  ${token}`));
    lines.push("try:", `  curl -s -H 'X-User-Token: ${first.token}' ${url}/api/v1/ai/me`);
  }
  return lines.join("\n");
}
