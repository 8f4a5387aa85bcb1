import type { FixtureUser } from "../admin/load-fixture.ts";

/** What the person who starts a daemon sees: its address, its storage, and how to make a first call. */
export function startBanner(about: {
  readonly url: string;
  readonly storage: string;
  readonly faults: readonly string[] | undefined;
  readonly users: readonly FixtureUser[] | undefined;
}): string {
  const { url, storage, faults, users } = about;
  const lines = [`anp listens on ${url}`, `storage: ${storage}`];
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
