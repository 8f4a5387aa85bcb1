import type { Profile, Profiles } from "../../target/profiles.ts";
import type { Column } from "../../terminal/print.ts";

/** A profile as it is shown: never with its token. */
export interface ProfileRow {
  readonly name: string;
  readonly url: string;
  /** Where its token is: in the profiles' file, in a file of its own, or nowhere. */
  readonly token: string;
  /** Whether commands use it when nothing else is named. */
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
