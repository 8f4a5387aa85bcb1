// Swagger UI shows a closed lock where a token is optional, as if it had been given: the plugin opens that lock.
const openLocks = {
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
