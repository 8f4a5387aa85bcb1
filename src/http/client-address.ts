import { isIPv6 } from "node:net";

/** What an address is read from. */
export interface Addressed {
  readonly headers: Pick<Headers, "get">;
  /** Address of the socket's other end. */
  readonly ip?: string | undefined;
}

/**
 * Whom an anonymous request is counted for: the address it came from, as the last of `trustedProxies` proxies saw it.
 * What stands in X-Forwarded-For before that may be anybody's invention.
 */
export function clientAddress(request: Addressed, trustedProxies: number): string {
  const { headers, ip = "unknown" } = request;
  if (trustedProxies === 0) return countedAs(ip);
  const hops = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter((hop) => hop !== "");
  return countedAs(hops.at(-trustedProxies) ?? ip);
}

/**
 * One subscriber has a whole /64 of IPv6, IPv4 may come in IPv6's clothes, and some proxies tell the port, which is
 * another one for each connection.
 */
function countedAs(address: string): string {
  const alone = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  const plain = alone.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.split("%", 1)[0]!.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
