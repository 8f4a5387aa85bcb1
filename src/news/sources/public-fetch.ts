import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { cachedPromise } from "../../runtime/cache/cached-promise.ts";
import { createSemaphore } from "../../runtime/semaphore.ts";
import { version } from "../../runtime/package-file.ts";
import { SourceError } from "./source-error.ts";

const CONNECTIONS = 6; // Concurrent requests per server, so that a few hanging ones do not block its other feeds.

/** Whether an address is global unicast. Private, loopback, link-local, multicast and reserved addresses are not public,
 * nor is any IPv6 form that carries an IPv4 address (mapped, NAT64, 6to4, Teredo). */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.isValid(address) ? ipaddr.parse(address) : undefined;
  if (parsed?.range() !== "unicast") return false;
  // Only 2000::/3 is assigned as global unicast (RFC 4291 §2.4, IANA).
  return parsed instanceof ipaddr.IPv4 || parsed.parts[0]! >> 13 === 1;
}

/** The host of a URL if it is an address in any notation, or `localhost`, that is not public. No name is resolved. */
export function privateHost(location: string): string | undefined {
  const host = URL.canParse(location) ? new URL(location).hostname.replace(/^\[|\]$/g, "") : "";
  return /(?:^|\.)localhost$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host)) ? host : undefined;
}

type SourceRequest = { headers: Headers; signal: AbortSignal; allowPrivate: boolean };

/** Sends GET requests over HTTP. A name is resolved once, by the connection, so the checked address is the one used.
 * @param contact a URL or e-mail address for the operators of the servers */
export function createSourceFetch(contact: string | undefined) {
  const userAgent = `anp/${version()}${contact === undefined ? "" : ` (+${contact})`}`;
  const load = cachedPromise(openAgents);
  return {
    load, // Loads the HTTP library in advance, so that loading does not count as the server's time.
    /** Follows no redirect. @param request.allowPrivate whether the server may have an address that is not public
     * @throws SourceError `address`, also as the cause of another error, when the server is not public */
    async get(url: URL, { headers, signal, allowPrivate }: SourceRequest): Promise<Response> {
      const host = allowPrivate ? undefined : privateHost(url.href);
      if (host !== undefined) throw notPublic(host);
      const { fetch, guarded, open } = await load();
      const sent = { "user-agent": userAgent, ...Object.fromEntries(headers) };
      return fetch(url, { headers: sent, redirect: "manual", signal, dispatcher: allowPrivate ? open : guarded });
    },
  };
}

/** Loaded on first use, since most commands send no request. */
async function openAgents() {
  const { Agent, fetch } = await import("undici");
  return {
    fetch,
    open: new Agent({ connections: CONNECTIONS }),
    guarded: new Agent({ connections: CONNECTIONS, connect: { lookup: createPublicLookup() } }),
  };
}

const LOOKUPS = 2; // Concurrent lookups: each occupies one of the four threads that file storage uses too.

function createPublicLookup(): LookupFunction {
  const turns = createSemaphore(LOOKUPS);
  return (hostname, options, done) => {
    const resolve = (): void =>
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        turns.end();
        const known = error === null ? addresses.filter(({ address }) => isPublicAddress(address)) : [];
        const [first] = known;
        if (error !== null) done(error, []);
        else if (first === undefined) done(notPublic(hostname), []);
        else if (options.all === true) done(null, known);
        else done(null, first.address, first.family);
      });
    void turns.begin().then(resolve);
  };
}

const notPublic = (host: string): SourceError =>
  new SourceError("address", `the address of ${host} is not public, and the source does not set allow_private`);
