import type { Server } from "node:http";

const SWEEP_MS = 50; // How often connections that have become idle are closed while the server stops, ms.

/** Stops accepting, and waits up to `drain_ms` milliseconds for running requests; then cuts the rest off. */
export function drain(server: Server, drain_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), drain_ms);
    // A connection whose last request ends from now on would be kept alive for seconds, and delay the stop.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}
