import { isIPv6 } from "node:net";
import type { H3Event } from "h3";
import ipaddr from "ipaddr.js";

/** Where a request came from, as the outermost trusted proxy saw it: a caller can forge earlier X-Forwarded-For values. */
export function clientAddress({ headers, ip = "unknown" }: H3Event["req"], trustedProxies: number): string {
  if (trustedProxies === 0) return countedAs(ip);
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return countedAs(hops.filter((hop) => hop !== "").at(-trustedProxies) ?? ip);
}

/** Maps an IPv6 address to its /64, which one subscriber owns. Handles mapped IPv4, and a port that proxies may add. */
function countedAs(address: string): string {
  const alone = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  if (!isIPv6(alone)) return alone;
  const plain = ipaddr.process(alone);
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const groups = plain.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(":")}::/64`;
}
