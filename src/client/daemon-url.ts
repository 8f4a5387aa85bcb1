/** The URL of a path of the daemon at an address, which may have a path itself. */
export function pageUrl(base: string | URL, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
  return url.href;
}

/** The address at which this machine reaches a daemon that listens on a host and port. */
export function addressOf({ host, port, tls }: { host: string; port: number; tls?: unknown }): string {
  const reached = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${reached}:${port}`;
}

/** @throws RangeError for anything but an http or https URL without user, query and fragment */
export function readUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new RangeError(`must be a URL such as http://127.0.0.1:8787, not ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new RangeError("must be an http or https URL");
  if (url.username !== "" || url.password !== "") throw new RangeError("must not contain a user or a password");
  if (url.search !== "" || url.hash !== "") throw new RangeError("must not contain a query or a fragment");
  return url;
}
