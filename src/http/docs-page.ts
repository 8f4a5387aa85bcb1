import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { H3 } from "h3";
import type { Answering } from "./error-handler.ts";
import { allow } from "./read-request.ts";
import { page } from "./respond.ts";

/** What the page loads, by its name below /docs/. All of it comes from this daemon. */
const ASSETS: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** Nothing but this daemon's own files and answers. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Paths are relative to /docs, so that the page works behind a proxy that puts it elsewhere. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Assistant, News and Points</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
});
`;

const DAY = "public, max-age=86400";

/** Mounts the API's documentation for browsers at /docs. It needs no network but this daemon. */
export function mountDocs(app: H3, answering: Answering): void {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

  app.all(
    "/docs",
    answering("docs", (event) => {
      allow(event.req, "GET");
      return page(PAGE, "text/html; charset=utf-8", { headers: { "content-security-policy": POLICY } });
    }),
  );
  app.all(
    "/docs/start.js",
    answering("docs", (event) => {
      allow(event.req, "GET");
      return page(START, "text/javascript; charset=utf-8");
    }),
  );
  for (const [name, type] of Object.entries(ASSETS)) {
    app.all(
      `/docs/${name}`,
      answering("docs", async (event) => {
        allow(event.req, "GET");
        return page(new Uint8Array(await readFile(join(folder, name))), type, { headers: { "cache-control": DAY } });
      }),
    );
  }
}
