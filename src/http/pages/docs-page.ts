import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { H3 } from "h3";
import { packageFile } from "../../runtime/package-file.ts";
import { mountPage, type RequestWrapper } from "../request-wrapper.ts";
import { entityTag, namesTag, page } from "../respond.ts";
import SETTINGS from "./docs-page.json" with { type: "json" };

/** The files of swagger-ui-dist that the page loads; the build copies them beside the page itself. */
export const SWAGGER_UI_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"] as const;

const FOLDER = packageFile("dist/bundle/docs/"); // Where the build puts the folder `docs` and Swagger UI's files.

const { types: TYPES, policy: POLICY } = SETTINGS; // The policy allows only this daemon's own files and responses.

/** Mounts the API's documentation for browsers at /docs. It loads nothing from other hosts. */
export function mountDocs(app: H3, wrap: RequestWrapper): void {
  // A file is read each time so that it does not stay in memory.
  const mount = (path: string, file: string, headers: Record<string, string>) =>
    mountPage(app, path, wrap, "docs", async ({ req }) => {
      const body = await readFile(new URL(file, FOLDER));
      const etag = entityTag(body);
      const tagged = { ...headers, etag };
      const isKnown = namesTag(req.headers.get("if-none-match"), etag);
      const type = TYPES[extname(file) as keyof typeof TYPES];
      return page(isKnown ? "" : new Uint8Array(body), type, { status: isKnown ? 304 : 200, headers: tagged });
    });
  const headers = { "cache-control": "no-cache" };
  // Paths in the page are relative to /docs, so that it works behind a proxy that puts it elsewhere.
  mount("/docs", "index.html", { ...headers, "content-security-policy": POLICY });
  mount("/docs/start.js", "start.js", headers);
  for (const name of SWAGGER_UI_FILES) mount(`/docs/${name}`, name, { "cache-control": "public, max-age=86400" });
}
