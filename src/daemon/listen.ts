import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from "node:http";
import { type AddressInfo, Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { H3 } from "h3";
import { listen as listhen } from "listhen";
import { type ConnectionBounds, createConnections } from "./connections.ts";
import { answerParseError, refuseRequest, withHost } from "./malformed-requests.ts";
import { nodeHandler } from "../http/direct-routes.ts";
import { checkPort, PortError } from "./bind-check.ts";
import { checkTlsFiles, type TlsFiles } from "./tls-files.ts";

const BACKLOG = 4096; // Connections that wait to be accepted; the kernel takes at most its `net.core.somaxconn`.
const KEEP_ALIVE_MS = 75_000; // Longer than proxies and clients keep idle connections, so that none uses a closed one.

const BOUNDS: ConnectionBounds = { peer_ms: 10_000, max_connections: Infinity };
/** A server that listens. */
export type Listener = Awaited<ReturnType<typeof listen>>;

/** Listens on exactly that host and port; port 0 takes a free one. With a certificate it is HTTPS.
 * @throws PortError when the address or the port cannot be used
 * @throws TlsError when the certificate cannot be used */
export async function listen(app: H3, host: string, port: number, tls?: TlsFiles, bounds: ConnectionBounds = BOUNDS) {
  if (tls !== undefined) await checkTlsFiles(tls);
  await checkPort(host, port); // listhen reports any failure of its own port check as a port in use.
  const connections = createConnections(bounds, app);
  const handler = connections.watch(withHost(nodeHandler(app), app));
  const { server, url } = await listenWithListhen(handler, host, port, tls);
  const refused = new WeakSet<Duplex>(); // Node reports further parts of a malformed message as further errors.
  const refuse = (error: Error, socket: Duplex): void => {
    if (!refused.has(socket)) void answerParseError(error, socket, app, connections.lastResponse(socket as Socket));
    refused.add(socket);
  };
  Object.assign(server, { requireHostHeader: false }); // Else Node answers such a request itself, without an envelope.
  server.on("checkContinue", handler); // Else Node asks for every body, also for one that is refused by its headers.
  server.on("checkExpectation", (...sent: [IncomingMessage, ServerResponse]) => void refuseRequest(...sent, 417, app));
  // This is not a proxy. Node hands the socket over without any listener.
  server.on("connect", ({ url: target }: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined);
    const rawPacket = Buffer.from(`CONNECT ${target} HTTP/1.1`);
    refuse(Object.assign(new Error(), { code: "HPE_INVALID_METHOD", rawPacket }), socket);
  });
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => connections.add(socket));
  server.on("clientError", refuse);
  server.headersTimeout = bounds.peer_ms;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return { url, drain: connections.drain.begin, stop: (drain_ms: number) => stop(server, connections, drain_ms) };
}

async function listenWithListhen(handler: RequestListener, host: string, port: number, tls?: TlsFiles) {
  try {
    // listhen's own shutdown ends the process at once, and its free-port search would silently take another port.
    const { server, url } = await listhen(handler, {
      hostname: host,
      port: { port, random: port === 0, verbose: false },
      public: !/^(localhost|127\.|::1$)/.test(host),
      ...{ isTest: true, isProd: true, showURL: false, autoClose: false },
      ...(tls === undefined ? {} : { https: { ...tls } }),
    });
    // listhen's http-shutdown tracks each request, and crashes the process when its socket has already gone.
    for (const other of server.listeners("request")) if (other !== handler) server.off("request", other as () => void);
    // listhen passes no backlog: with Node's 511, connections of a burst are dropped, and retried after up to 15 s.
    const { port: taken } = server.address() as AddressInfo;
    server.closeAllConnections();
    await once(server.close(), "close");
    await once(server.listen({ port: taken, host, backlog: BACKLOG }), "listening");
    // listhen omits the scheme's default port, but keeps the colon before it.
    return { server, url: url.replace(/:?\/?$/, "") };
  } catch (error) {
    throw new PortError(`Cannot listen on ${host}:${port}: ${(error as Error).message}`, { cause: error });
  }
}

const SWEEP_MS = 50; // How often connections that are not used are closed while the server stops, ms.

/** Stops accepting, and waits for what runs. A timer runs before what has arrived is accepted or read, so the end of a
 * turn is awaited: what a busy client has sent is answered. */
async function stop(
  server: HttpServer,
  connections: ReturnType<typeof createConnections>,
  drain_ms: number,
): Promise<void> {
  connections.drain.begin();
  const cut = setTimeout(() => server.closeAllConnections(), drain_ms);
  let accepted = true;
  server.on("connection", () => (accepted = true));
  for (let turns = 0; accepted && turns < BACKLOG; turns++) {
    accepted = false; // Node accepts one connection per turn, and the system resets those that still wait.
    await new Promise(setImmediate);
  }
  const sweep = setInterval(() => setImmediate(connections.drain.closeUnused), SWEEP_MS);
  await once(Server.prototype.close.call(server), "close"); // The method of HTTP servers also closes idle connections.
  clearTimeout(cut);
  clearInterval(sweep);
  server.close(); // Ends its other timer.
  connections.stop();
}
