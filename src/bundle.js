// Puts the program into a few files, its libraries included: Node takes most of a command's time for finding and
// opening modules one by one. Beside them lies what the router learns from its examples.
import { build } from "rolldown";
import { TRAINED_FILE, trainedRouter } from "../dist/assistant/routing/router.js";

await build({
  input: { anp: "src/cli/anp.ts" },
  platform: "node",
  // Its files are sent as they are.
  external: ["swagger-ui-dist"],
  plugins: [
    {
      name: "trained-router",
      generateBundle() {
        this.emitFile({ type: "asset", fileName: TRAINED_FILE, source: trainedRouter() });
      },
    },
  ],
  logLevel: "warn",
  output: { dir: "dist/bundle", format: "esm", sourcemap: true, cleanDir: true, hashCharacters: "base36" },
});
