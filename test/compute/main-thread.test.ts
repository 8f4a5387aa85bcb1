import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const DIST = new URL("../../dist/", import.meta.url);

/** The built modules that loading some of them loads, those that are imported on demand excepted. */
function loadedWith(...modules: readonly string[]): Set<string> {
  const loaded = new Set(modules);
  for (const module of loaded) {
    const text = readFileSync(fileURLToPath(new URL(module, DIST)), "utf8");
    for (const [, file = ""] of text.matchAll(/^(?:import|export) (?:[^;()]*from )?"(\.[^"]+\.js)"/gm)) {
      loaded.add(new URL(file, new URL(module, DIST)).href.slice(DIST.href.length));
    }
  }
  return loaded;
}

it("keeps what computes on foreign text, and its word lists, out of the daemon's main thread", () => {
  const loaded = [...loadedWith("daemon/daemon.js", "service/service.js")];
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((file) => /^language\/(?!detect-language)/.test(file))).toEqual([]);
  expect(loaded.filter((file) => /^(news\/topics\/(?!heat)|assistant\/(retrieval|routing)\/)/.test(file))).toEqual([]);
});
