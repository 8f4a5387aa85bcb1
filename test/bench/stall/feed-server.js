import { createServer } from "node:http";

/** Each address is a server of its own for the daemon, which asks one server at most twice at once. */
const HOSTS = 16;

/** Serves `feeds[n]()` as `/n`, each on one of several loopback addresses. Returns their URLs, and how to stop. */
export async function serveFeeds(feeds) {
  const servers = await Promise.all(
    Array.from({ length: HOSTS }, async (_, n) => {
      const server = createServer((request, response) => response.end(feeds[Number(request.url.slice(1))]()));
      await new Promise((resolve) => server.listen(0, `127.0.0.${n + 1}`, resolve));
      return server;
    }),
  );
  return {
    urls: feeds.map((_, n) => {
      const { address, port } = servers[n % HOSTS].address();
      return `http://${address}:${port}/${n}`;
    }),
    close: () =>
      Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      ),
  };
}

/** The section `news` of a configuration that reads these URLs when it is asked to. */
export function newsOf(urls, more = {}) {
  const sources = urls.map((url, n) => ({ id: `s${n}`, name: `Source ${n}`, lang: "en", url, allow_private: true }));
  return { news: { sources, refresh_interval_s: 0, ...more } };
}

/** Refreshes the news of a daemon. */
export async function refresh({ url }, token) {
  const response = await fetch(`${url}/api/v1/news/refresh?mode=full`, {
    method: "POST",
    headers: { "x-user-token": token },
  });
  const { message, data } = await response.json();
  if (!response.ok) throw new Error(message);
  return data;
}
