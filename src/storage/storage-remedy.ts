/** The remedy of a storage failure, by what its message contains. */
const REMEDIES: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/\bREADONLY\b/, "Let the storage URL name the primary."],
  [/has no database of that number/, "Name a database that the server has: see `databases` in its redis.conf."],
  [
    /\b(NOAUTH|WRONGPASS)\b|ERR (AUTH|invalid password)/,
    "Give the user and password in the storage URL: redis://USER:PASSWORD@…",
  ],
  [/\bNOPERM\b/, "Let that user of the server run these commands on anp's keys: the README lists them."],
  [/cluster support disabled/, "It is a single server: use redis:// instead of redis-cluster://."],
  [/\bMOVED\b/, "It is a node of a cluster: use redis-cluster://."],
  [/replicas confirmed/, "Connect replicas to the server, or lower wait_replicas in the storage URL."],
  [/\bOOM\b/, "Give the server more memory (maxmemory): nothing may be evicted."],
  [/\bMISCONF\b/, "The server cannot write to its disk: look at its log."],
  [/does the server speak TLS/, "Use redis:// for a server without TLS."],
  [/\bENOSPC\b/, "Make room on the disk."],
];

/**
 * What an operator can do about a failure of the storage.
 *
 * @param setting the flag or key that names the storage, as `--storage`
 */
export function storageRemedy(message: string, setting: string): string {
  const found = REMEDIES.find(([pattern]) => pattern.test(message));
  return found?.[1] ?? `Check ${setting}, and that it can be reached and written.`;
}
