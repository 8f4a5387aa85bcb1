import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist/", ".anp/", "node_modules/"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    // A step has a name: what is longer is split, or says why it is not.
    files: ["src/**/*.ts"],
    rules: { "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ["src/cli/**/*.ts"],
    ignores: ["src/cli/anp.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...["stdin", "stdout", "stderr", "env", "exitCode", "exit", "on", "off"].map((property) => ({
          object: "process",
          property,
          message: "A command takes it from its io, so that it also runs in a test's process.",
        })),
        { object: "Date", property: "now", message: "A command asks the clock of its context." },
      ],
    },
  },
);
