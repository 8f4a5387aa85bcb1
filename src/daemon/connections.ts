import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createPace } from "../http/limits/pace.ts";
import { answerParseError } from "./malformed-requests.ts";

/** Bounds of the connections of one server. */
export interface ConnectionBounds {
  /** Longest wait for the peer: for headers, for a body, or until it reads more of a response, ms. */
  readonly peer_ms: number;
  /** Most connections; beyond them, idle ones are closed. */
  readonly most: number;
  /** Called for each connection that is closed before its peer has closed it. */
  readonly closed?: ((reason: ClosingReason) => void) | undefined;
}

/** What a connection was closed for: no complete headers, no complete body, a response that is not read, or because it
 * was idle when there were too many. */
type ClosingReason = "headers" | "body" | "response" | "idle";

/** How often connections are examined at least, ms. */
const EXAMINED_MS = 1000;
/** How many connections are closed in one turn of the event loop; idle ones together, so that not each new one searches. */
const CLOSED_TOGETHER = 64;
/** Files that are kept free for the storage and for sources. */
const OTHER_FILES = 512;
/** A slow reader gets so many times the usual wait: Node does not show how much of a response it has read. */
const READING = 6;
/** Most bytes of all responses that wait for their readers. */
const MOST_UNREAD = 64 * 1024 * 1024;

interface Connection {
  /** The last response that was begun; undefined before the first request. */
  response?: ServerResponse;
  /** What the peer is waited for, and since when. */
  awaited: ClosingReason | undefined;
  since: number;
}

/** The open connections of a server. Node's own timeouts leave out connections whose request was answered early and
 * peers that do not read, and are checked every 30 s only. */
export function createConnections({ peer_ms, most, closed }: ConnectionBounds) {
  const open = new Map<Socket, Connection>();
  const mostOpen = Math.min(most, Math.max(64, mostFiles() - OTHER_FILES));
  let examining: Promise<void> | undefined;
  // Never two at once: the second would destroy what the first has just ended, before it was sent.
  const examineOnce = (): void => void (examining ??= examine().finally(() => (examining = undefined)));
  const timer = setInterval(examineOnce, Math.min(EXAMINED_MS, peer_ms)).unref();
  // A crowd's connections end together, and their peers may come back together.
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
      if (now - connection.since <= longest && unread <= MOST_UNREAD) continue;
      close(socket, awaited);
      await turn();
    }
  }

  /** Closes the oldest idle connections, those without any request first; false when there is none. */
  function closeIdle(): boolean {
    const unused = [...open].filter(([, { response }]) => response === undefined);
    const used = [...open].filter(([, { response }]) => response?.writableFinished && response.req.complete);
    const idle = [...unused, ...used].slice(0, CLOSED_TOGETHER);
    for (const [socket] of idle) {
      open.delete(socket);
      close(socket, "idle");
    }
    return idle.length > 0;
  }

  function close(socket: Socket, reason: ClosingReason): void {
    closed?.(reason);
    // The peer of an earlier end may not read it.
    if (socket.writableEnded || reason === "response") socket.destroy();
    else if (reason === "headers" && socket.bytesRead > 0) answerParseError(TIMEOUT, socket);
    else socket.destroySoon();
  }

  return {
    /** A request handler that notes which response a connection has begun. */
    watch(handler: RequestListener): RequestListener {
      return (request: IncomingMessage, response: ServerResponse) => {
        const connection = open.get(request.socket);
        if (connection !== undefined) connection.response = response;
        handler(request, response);
      };
    },
    add(socket: Socket): void {
      if (open.size >= mostOpen && !closeIdle()) {
        close(socket, "idle");
        return;
      }
      open.set(socket, { awaited: "headers", since: performance.now() });
      socket.once("close", () => open.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}

const TIMEOUT: NodeJS.ErrnoException = Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/** What the peer of a connection is waited for; undefined while this side computes, or the connection is idle. */
function awaitedOf({ response }: Connection): ClosingReason | undefined {
  if (response === undefined) return "headers";
  if (!response.req.complete) return "body";
  return response.writableEnded && !response.writableFinished ? "response" : undefined;
}

function mostFiles(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
