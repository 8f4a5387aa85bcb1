import { existsSync, readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { H3 } from "h3";
import { createPace } from "../http/limits/pace.ts";
import { answerParseError } from "./malformed-requests.ts";

/** Bounds of the connections of one server. */
export interface ConnectionBounds {
  readonly peer_ms: number; // Longest wait for the peer: for headers, for a body, or until it reads more of a response.
  readonly max_connections: number; // Most connections; beyond them, idle ones are closed.
  readonly closed?: ((reason: ClosingReason) => void) | undefined; // Called for each connection that this side closes.
}

type ClosingReason = "headers" | "body" | "response" | "idle"; // Incomplete, unread, or idle with too many open.

const EXAMINED_MS = 1000; // Longest time between two checks of all connections, ms.
const CLOSED_TOGETHER = 64; // Closed per turn of the event loop; idle ones as a group, to save searches.
const OTHER_FILES = 512; // File descriptors reserved for the storage and for sources, or half if those are fewer,
const LEAST_FILES = 48; // but never less: an idle daemon has about 30 open.
const READING = 6; // Factor of the wait for slow readers: Node does not show how much they have read.
export const FEW_CONNECTIONS = 1024; // Fewer than these are reported, unless the configuration asks for no more.
const MAX_UNREAD_BYTES = 64 * 1024 * 1024; // Most buffered bytes of all responses that wait for readers.

interface Connection {
  response?: ServerResponse; // The last response that was begun; undefined before the first request.
  bytes: number; // What was read when the drain began; 0 before the first request.
  awaited: ClosingReason | undefined; // What this side waits for, and since when.
  since: number;
}

/** The open connections of a server. Node's own timeouts leave out connections whose request was answered early and
 * peers that do not read, and are checked every 30 s only. */
export function createConnections({ peer_ms, max_connections, closed }: ConnectionBounds, app?: H3) {
  const open = new Map<Socket, Connection>();
  const counted = new WeakSet<Socket>(); // If the peer ignores the end, a socket is closed twice.
  const maxOpen = allowedConnections(max_connections);
  const drain = createDrain(open);
  let examining: Promise<void> | undefined;
  // Never two at once: the second would destroy a socket that the first just ended, before its data are sent.
  const examineOnce = (): void => void (examining ??= examine().finally(() => (examining = undefined)));
  const timer = setInterval(examineOnce, Math.min(EXAMINED_MS, peer_ms)).unref();
  // Connections of a burst time out together, and their peers may reconnect together.
  const turn = createPace(CLOSED_TOGETHER);

  async function examine(): Promise<void> {
    const now = performance.now();
    let unread = 0;
    for (const [socket, connection] of open) {
      const awaited = awaitedOf(connection);
      if (awaited !== connection.awaited) Object.assign(connection, { awaited, since: now });
      if (awaited === undefined) continue;
      if (awaited === "response") unread += socket.writableLength;
      const longest = awaited === "response" ? READING * peer_ms : peer_ms;
      if (now - connection.since <= longest && unread <= MAX_UNREAD_BYTES) continue;
      close(socket, awaited);
      await turn();
    }
  }

  function closeIdle(): boolean {
    const unused = [...open].filter(([, { response }]) => response === undefined);
    const used = [...open].filter(([, { response }]) => response !== undefined && isAnswered(response));
    const idle = [...unused, ...used].slice(0, CLOSED_TOGETHER);
    for (const [socket] of idle) {
      open.delete(socket);
      close(socket, "idle");
    }
    return idle.length > 0;
  }

  function close(socket: Socket, reason: ClosingReason): void {
    if (!counted.has(socket)) closed?.(reason);
    counted.add(socket);
    if (socket.writableEnded || reason === "response") socket.destroy(); // A peer may ignore the earlier end.
    else if (reason === "headers" && socket.bytesRead > 0) void answerParseError(TIMEOUT, socket, app);
    else socket.destroySoon();
  }

  return {
    /** A request handler that notes which response a connection has begun. */
    watch(handler: RequestListener): RequestListener {
      return (request, response) => {
        const connection = open.get(request.socket);
        if (!drain.lets(response, connection?.response)) return;
        if (connection !== undefined) connection.response = response;
        handler(request, response);
      };
    },
    add(socket: Socket): void {
      if (open.size >= maxOpen && !closeIdle()) close(socket, "idle");
      else open.set(socket, { awaited: "headers", since: performance.now(), bytes: 0 });
      socket.once("close", () => open.delete(socket));
    },
    lastResponse: (socket: Socket) => open.get(socket)?.response, // The last one that was begun.
    drain,
    stop: () => clearInterval(timer),
  };
}

/** While connections drain, the last response of each one closes it. */
function createDrain(open: ReadonlyMap<Socket, Connection>) {
  let isDraining = false;
  return {
    begin: (): void => {
      for (const [socket, connection] of isDraining ? [] : open) {
        const { response } = connection;
        if (response !== undefined) connection.bytes = socket.bytesRead;
        if (response?.headersSent === false) response.shouldKeepAlive = false;
      }
      isDraining = true;
    },
    /** Makes a response the last one. After one that said that it closes its connection, no request can be answered, so
     * none may run (RFC 9112 §9.6): then this is false. */
    lets(response: ServerResponse, previous: ServerResponse | undefined): boolean {
      if (!isDraining) return true;
      if (previous?.headersSent === true && !previous.shouldKeepAlive) return false;
      if (previous !== undefined) previous.shouldKeepAlive = true;
      response.shouldKeepAlive = false;
      return true;
    },
    /** Closes connections on which nothing has arrived since the beginning. */
    closeUnused: (): void => {
      for (const [socket, { response, bytes }] of open)
        if (socket.bytesRead === bytes && (response === undefined || isAnswered(response))) socket.destroySoon();
    },
  };
}

const isAnswered = ({ writableFinished, req }: ServerResponse): boolean => writableFinished && req.complete;

const TIMEOUT: NodeJS.ErrnoException = Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/** What this side waits for; undefined while it computes, or the connection is idle. */
function awaitedOf({ response }: Connection): ClosingReason | undefined {
  if (response === undefined) return "headers";
  if (!response.req.complete) return "body";
  return response.writableEnded && !response.writableFinished ? "response" : undefined;
}

/** How many connections may be open: at most `max_connections`, less where the system allows few open files. */
export function allowedConnections(max_connections: number): number {
  const limits = existsSync(LIMITS) ? readFileSync(LIMITS, "utf8") : "";
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(1, Math.min(max_connections, files - Math.min(OTHER_FILES, Math.max(LEAST_FILES, files / 2))));
}

const LIMITS = "/proc/self/limits"; // On Linux.
