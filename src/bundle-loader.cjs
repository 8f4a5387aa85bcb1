// Loads the files of the bundle, each with the code that V8 compiled of it when it was built: compiling is a quarter of the
// time of a short command. (From Node.js 22.1 on `module.enableCompileCache` does this for every user's machine anew.)
// V8 refuses the code of another version of its own, and compiles again.
"use strict";
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

const modules = new Map();
const scripts = new Map();

/** The exports of a file of the bundle. */
function load(name) {
  // Only Node's own loader reads source maps.
  if (process.sourceMapsEnabled) return require(`./${name}`);
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const filename = path.join(__dirname, name);
  const cachedData = existsSync(codeOf(filename)) ? readFileSync(codeOf(filename)) : undefined;
  // The name in stack traces. V8 keeps it in the code, so it is one that is true wherever the package lies.
  const shown = `dist/bundle/${name}`;
  const script = new Script(Module.wrap(readFileSync(filename, "utf8")), { filename: shown, cachedData });
  scripts.set(filename, script);
  const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
  script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, __dirname);
  return module.exports;
}

/** Keeps what V8 has compiled by now of the files that were loaded. */
function keepCode() {
  for (const [filename, script] of scripts) writeFileSync(codeOf(filename), script.createCachedData());
}

const codeOf = (filename) => `${filename}.code`;

module.exports = { load, keepCode };
