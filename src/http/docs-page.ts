import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { H3 } from "h3";
import { packageFile } from "../runtime/package-file.ts";
import type { RequestWrapper, Handler } from "./request-wrapper.ts";
import { allow } from "./read-request.ts";
import { entityTag, namesTag, page } from "./respond.ts";

/** The files of swagger-ui-dist that the page loads; the build copies them beside the page itself. */
export const SWAGGER_UI_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"] as const;

/** Where the build puts the files of the folder `docs`, and those of Swagger UI. */
const FOLDER = packageFile("dist/bundle/docs/");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
};

/** Allows only this daemon's own files and responses. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Mounts the API's documentation for browsers at /docs. It loads nothing from other hosts. */
export function mountDocs(app: H3, wrap: RequestWrapper): void {
  function mount(path: string, file: string, headers?: Record<string, string>): void {
    const load = async () => new Uint8Array(await readFile(new URL(file, FOLDER)));
    app.all(path, wrap("docs", staticPage(load, TYPES[extname(file)]!, headers)));
  }
  // Paths in the page are relative to /docs, so that it works behind a proxy that puts it elsewhere.
  mount("/docs", "index.html", { "cache-control": "no-cache", "content-security-policy": POLICY });
  mount("/docs/start.js", "start.js");
  for (const name of SWAGGER_UI_FILES) mount(`/docs/${name}`, name, { "cache-control": "public, max-age=86400" });
}

/** Answers GET with a file, read each time so that it does not stay in memory; 304 to who has it (RFC 9110 §13.1.2). */
function staticPage(
  load: () => Promise<Uint8Array<ArrayBuffer>>,
  contentType: string,
  headers: Readonly<Record<string, string>> = { "cache-control": "no-cache" },
): Handler {
  let etag: string | undefined;
  return async (event) => {
    allow(event.req, "GET");
    const given = event.req.headers.get("if-none-match");
    etag ??= entityTag(await load());
    const is304 = namesTag(given, etag);
    const body = is304 ? "" : await load();
    return page(body, contentType, { status: is304 ? 304 : 200, headers: { ...headers, etag } });
  };
}
