import type { Profile, Profiles } from "../../target/profiles.ts";
import type { Column } from "../../terminal/column.ts";

/** A profile as it is shown, without its token. */
export interface ProfileRow {
  readonly name: string;
  readonly url: string;
  /** `kept` in the profiles file, the path of a token file, or `none`. */
  readonly token: string;
  /** Whether commands use it when neither a storage nor a daemon is named. */
  readonly current: boolean;
}

export function toRow(name: string, { url, token, token_file }: Profile, { current }: Profiles): ProfileRow {
  const where = token === undefined ? (token_file ?? "none") : "kept";
  return { name, url, token: where, current: name === current };
}

export const COLUMNS: readonly Column<ProfileRow>[] = [
  { name: "name", of: ({ name }) => name },
  { name: "url", of: ({ url }) => url },
  { name: "token", of: ({ token }) => token, wide: true },
  { name: "current", of: ({ current }) => current, show: ({ current }) => (current ? "yes" : "") },
];
