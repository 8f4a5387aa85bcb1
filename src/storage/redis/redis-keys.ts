/** Maps `a:b:c:d` to `prefix:{a:b}:c:d`: keys that share the first two segments share a slot of a cluster. */
export function redisKey(prefix: string, key: string): string {
  const second = key.indexOf(":", key.indexOf(":") + 1);
  const end = key.includes(":") && second !== -1 ? second : key.length;
  return `${prefix}:{${key.slice(0, end)}}${key.slice(end)}`;
}

/** The inverse of {@link redisKey}. */
export const plainKey = (prefix: string, name: string): string => name.slice(prefix.length + 2).replace("}", "");

/** The SCAN pattern for the keys below a key. Encoded keys contain no pattern characters.
 * @param kind as in the driver's `keys`; only for a prefix of one segment */
export function scanPattern(prefix: string, below: string, kind = ""): string {
  const escaped = prefix.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
  if (below === "") return `${escaped}:{*`;
  if (below.includes(":")) return `${redisKey(escaped, below)}:*`;
  return `${escaped}:{${below}:*${kind === "" ? "" : `}:${kind}*`}`;
}

/** The part of a name that determines its slot: on a cluster, one command may only read names of one slot. */
export const hashTagOf = (name: string): string => name.slice(0, name.indexOf("}"));
