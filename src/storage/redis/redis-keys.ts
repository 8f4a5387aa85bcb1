/** `a:b:c:d` as `prefix:{a:b}:c:d`: what shares the first two segments shares a slot of a cluster. */
export function redisKey(prefix: string, key: string): string {
  const second = key.indexOf(":", key.indexOf(":") + 1);
  const end = key.includes(":") && second !== -1 ? second : key.length;
  return `${prefix}:{${key.slice(0, end)}}${key.slice(end)}`;
}

/** The key that {@link redisKey} made a name of. */
export const plainKey = (prefix: string, name: string): string => name.slice(prefix.length + 2).replace("}", "");

/** A pattern of SCAN for the keys below one. Keys are encoded, so they hold nothing with a meaning in a pattern.
 * @param kind as of the driver's `keys`, of a prefix of one segment */
export function scanPattern(prefix: string, below: string, kind = ""): string {
  const escaped = prefix.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
  if (below === "") return `${escaped}:{*`;
  if (below.includes(":")) return `${redisKey(escaped, below)}:*`;
  return `${escaped}:{${below}:*${kind === "" ? "" : `}:${kind}*`}`;
}

/** The part of a name that decides about its slot: one command may ask a cluster for the names of one. */
export const hashTagOf = (name: string): string => name.slice(0, name.indexOf("}"));
