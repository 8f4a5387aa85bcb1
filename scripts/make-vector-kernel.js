// Makes src/language/attention/vector-kernel.wasm of the text beside it: node scripts/make-vector-kernel.js
import { readFileSync, writeFileSync } from "node:fs";
import loadWabt from "wabt";

const TEXT = new URL("../src/language/attention/vector-kernel.wat", import.meta.url);

/** Assembles the text of the module. */
export async function assemble() {
  const module = (await loadWabt()).parseWat("vector-kernel.wat", readFileSync(TEXT, "utf8"), { simd: true });
  module.validate();
  return module.toBinary({}).buffer;
}

if (process.argv[1] === import.meta.filename) writeFileSync(new URL("vector-kernel.wasm", TEXT), await assemble());
