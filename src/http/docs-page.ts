import { readFile } from "node:fs/promises";
import type { H3 } from "h3";
import { packageFile } from "../runtime/package-file.ts";
import type { Answering } from "./error-handler.ts";
import { staticPage } from "./static-page.ts";
import { SWAGGER_UI_FILES } from "./swagger-ui-files.ts";

/** Where the build puts the files of Swagger UI. */
const FOLDER = packageFile("dist/bundle/docs/");

const TYPES = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
} as const satisfies Record<(typeof SWAGGER_UI_FILES)[number], string>;

/** Allows only this daemon's own files and responses. */
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

/** Swagger UI shows a closed lock where a token is optional, as if it had been given: the plugin opens that lock. */
const START = `const openLocks = {
  statePlugins: {
    auth: {
      wrapSelectors: {
        isAuthorized: (isAuthorized) => (state, schemes) =>
          isAuthorized(schemes && schemes.filter((scheme) => scheme.size > 0)),
      },
    },
  },
};
SwaggerUIBundle({
  url: "openapi.json",
  plugins: [() => openLocks],
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
});
`;

const DAY = "public, max-age=86400";

/** Mounts the API's documentation for browsers at /docs. It loads nothing from other hosts. */
export function mountDocs(app: H3, answering: Answering): void {
  const policy = { "cache-control": "no-cache", "content-security-policy": POLICY };
  app.all(
    "/docs",
    answering(
      "docs",
      staticPage(() => PAGE, "text/html; charset=utf-8", policy),
    ),
  );
  app.all(
    "/docs/start.js",
    answering(
      "docs",
      staticPage(() => START, "text/javascript; charset=utf-8"),
    ),
  );
  for (const name of SWAGGER_UI_FILES) {
    const file = staticPage(async () => new Uint8Array(await readFile(new URL(name, FOLDER))), TYPES[name], {
      "cache-control": DAY,
    });
    app.all(`/docs/${name}`, answering("docs", file));
  }
}
