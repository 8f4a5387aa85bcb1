import { readFile } from "node:fs/promises";
import { packageFile } from "../runtime/package-file.ts";
import { failed, type Finding, ok } from "../storage/finding.ts";
import type { Check } from "./check.ts";

/** Libraries that a bug report should name. */
const NAMED = ["h3", "listhen", "unstorage", "ioredis", "zod", "ai", "feedsmith", "jose", "decimal.js"];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

/** This program's version, Node's, and those of the libraries that the build bundled. */
export function versionsCheck(): Check {
  return {
    name: "versions",
    bound_ms: 3000,
    async run() {
      const own = (await readJson("package.json")) as Manifest;
      return [ok("anp", own.version), nodeVersion(own), await libraries()];
    },
  };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(packageFile(path), "utf8"));
}

function nodeVersion({ engines }: Manifest): Finding {
  const found = process.versions.node;
  const least = (engines?.node ?? "0").replace(/^>=\s*/, "");
  if (found.localeCompare(least, "en", { numeric: true }) >= 0)
    return ok("node", `${found} on ${process.platform} ${process.arch}.`);
  return failed("node", `${found} is older than ${least}.`, `Install Node.js ${least} or later.`);
}

async function libraries(): Promise<Finding> {
  let bundled: readonly Manifest[];
  try {
    bundled = (await readJson("dist/bundle/packages.json")) as Manifest[];
  } catch (error) {
    return failed(
      "libraries",
      (error as Error).message,
      "Install the package again: its folder `dist` is not complete.",
    );
  }
  const named = bundled.filter(({ name }) => NAMED.includes(name));
  return ok("libraries", `${named.map(({ name, version }) => `${name} ${version}`).join(", ")}.`);
}
