/** Options of Vitest: tests run the modules that the build has compiled. Node loads these faster than Vite compiles and wraps
 * the sources for each process, calls among them take no detour, and the build's other files lie beside them. */
export const resolve = {
  alias: [{ find: /^(?:\.\.\/)+src\/(.+)\.ts$/, replacement: new URL("../../dist/$1.js", import.meta.url).pathname }],
};
export const server = { deps: { external: [/\/dist\/.+\.js$/] } };
