import { isIPv6 } from "node:net";

/** The parts of a request that the caller's address is read from. */
export interface Addressed {
  readonly headers: Pick<Headers, "get">;
  /** Address of the socket's other end. */
  readonly ip?: string | undefined;
}

/**
 * The address that an anonymous request is counted for: where it came from, as the outermost of `trustedProxies`
 * proxies saw it. Earlier values of X-Forwarded-For can be forged by the caller.
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
 * The same text for all addresses of a subscriber, who has a whole /64 of IPv6. IPv4 addresses may be mapped into IPv6,
 * and some proxies add the port, which differs for each connection.
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
