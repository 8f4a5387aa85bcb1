/** The files of swagger-ui-dist that the page /docs loads; the build copies them. */
export const SWAGGER_UI_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"] as const;
