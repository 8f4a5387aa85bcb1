import { isIPv6 } from "node:net";
import type { H3Event } from "h3";

/**
 * The address that an anonymous request is counted for: where it came from, as the outermost of `trustedProxies`
 * proxies saw it. Earlier values of X-Forwarded-For can be forged by the caller.
 */
export function clientAddress({ headers, ip = "unknown" }: H3Event["req"], trustedProxies: number): string {
  if (trustedProxies === 0) return countedAs(ip);
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return countedAs(hops.filter((hop) => hop !== "").at(-trustedProxies) ?? ip);
}

/** One text for a subscriber's whole /64 of IPv6. IPv4 may be mapped into IPv6, and some proxies add a changing port. */
function countedAs(address: string): string {
  const alone = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  const plain = alone.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.split("%", 1)[0]!.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}
