/** The environment of a run. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable's value; an empty one counts as not set. */
export function valueOf(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}
