import type { RequestListener, ServerResponse } from "node:http";
import { H3, type H3Event } from "h3";
import { toNodeHandler } from "h3/node";
import { NodeRequest } from "srvx/node";
import { ReadyResponse } from "./respond.ts";

/** An app with routes that need no router: each is one method on one path without parameters. */
export class DirectApp extends H3 {
  readonly direct = new Map<string, (event: H3Event) => Promise<Response>>(); // By method and path, as `GET /api`.
  refuse: ((event: H3Event) => Promise<Response>) | undefined; // Answers with its `error`: for requests that no route sees.
}

/** Serves an app to Node. A request for a direct route bypasses h3's URL, event and response, which cost as much as a
 * read itself. Any other request, and one with an Origin, goes through h3. Both give the same answers. */
export function nodeHandler(app: H3): RequestListener {
  const throughH3 = toNodeHandler(app);
  if (!(app instanceof DirectApp) || app["~middleware"].length > 0) return throughH3; // Middleware sees every request.
  return (request, response) => {
    const { url = "", method = "" } = request;
    const mark = url.indexOf("?");
    const pathname = mark < 0 ? url : url.slice(0, mark);
    const answer = app.direct.get(`${method} ${pathname}`);
    if (answer === undefined || request.headers.origin !== undefined) return throughH3(request, response);
    const req = new NodeRequest({ req: request, res: response });
    // The fields of an event that the handlers use.
    const event = { req, url: { pathname, search: mark < 0 ? "" : url.slice(mark) }, runtime: req.runtime };
    answer(event as unknown as H3Event)
      .then((answered) => sendReady(response, answered as ReadyResponse))
      .catch(() => response.destroy());
  };
}

/** Sends the parts of a response. Node leaves out the body for HEAD. */
export function sendReady(response: ServerResponse, { parts: { status, list, body, bytes } }: ReadyResponse): void {
  if (body === null) return void response.writeHead(status, list).end();
  list.push("content-length", String(bytes?.length ?? Buffer.byteLength(body)));
  response.writeHead(status, list);
  // `end(body)` would write a second, empty chunk, and two chunks cost twice as much.
  const { socket } = response;
  socket?.cork();
  response.write(bytes ?? body, bytes === undefined ? "utf8" : "latin1");
  socket?.uncork();
  response.end();
}
