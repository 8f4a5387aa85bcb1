import type { H3 } from "h3";
import { listen, PortError, type Listening, type TlsFiles } from "./listen.ts";
import { bindError } from "./port-check.ts";
import { checkTlsFiles } from "./tls-files.ts";

/**
 * Listens there, and says why where that cannot be.
 *
 * @throws PortError when the address or the port cannot be had
 * @throws TlsError when the certificate cannot be used
 */
export async function listenAt(app: H3, host: string, port: number, tls?: TlsFiles): Promise<Listening> {
  if (tls !== undefined) await checkTlsFiles(tls);
  // listhen takes any failure of its own look at the port for a port in use.
  const fault = await bindError(host, port);
  if (fault !== undefined) {
    const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    throw new PortError(`Cannot listen on ${address}: ${reasonOf(fault, host)}`);
  }
  const listening = await listen(app, host, port, tls);
  return { ...listening, url: withoutLooseColon(listening.url) };
}

/** The URL of a server; listhen leaves the scheme's own port out, and the colon before it in. */
export function withoutLooseColon(url: string): string {
  return url.replace(/:$/, "");
}

function reasonOf(code: string, host: string): string {
  switch (code) {
    case "EADDRINUSE":
      return "the port is in use";
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name ${host} is not known (${code})`;
    case "EACCES":
      return "this user may not take the port; take one above 1023, or give the right to (CAP_NET_BIND_SERVICE)";
    default:
      return code;
  }
}
