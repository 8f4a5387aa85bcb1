import { isIPv6 } from "node:net";
import type { H3Event } from "h3";
import ipaddr from "ipaddr.js";

const peers = new WeakMap<object, string>(); // Cached: the address that a connection counts as.

/** Where a request came from, as the outermost trusted proxy saw it: a caller can forge earlier X-Forwarded-For values. */
export function clientAddress(request: H3Event["req"], trustedProxies: number): string {
  const { headers, ip = "unknown" } = request;
  if (trustedProxies === 0) {
    const connection = request.runtime?.node?.req.socket ?? request;
    const peer = peers.get(connection) ?? countedAs(ip);
    peers.set(connection, peer);
    return peer;
  }
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
