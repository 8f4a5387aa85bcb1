import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Check, type DoctorFinding, failed, ok } from "./check.ts";
import { packageFile } from "../runtime/package-file.ts";

/** Libraries whose major version this program was written and tested for. */
const NEEDED = ["h3", "listhen", "unstorage", "ioredis", "zod", "ai", "feedsmith", "jose", "decimal.js"];

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** This program's version, Node's, and those of the libraries that matter. */
export function versionsCheck(): Check {
  return {
    name: "versions",
    bound_ms: 3000,
    async run() {
      const own = await manifestAt(packageFile("package.json"));
      return [ok("anp", own.version), nodeVersion(own), ...(await libraries(own))];
    },
  };
}

async function manifestAt(file: URL | string): Promise<Manifest> {
  return JSON.parse(await readFile(file, "utf8")) as Manifest;
}

function nodeVersion({ engines }: Manifest): DoctorFinding {
  const found = process.versions.node;
  const least = (engines?.node ?? "0").replace(/^>=\s*/, "");
  if (compare(found, least) >= 0) return ok("node", `${found} on ${process.platform} ${process.arch}.`);
  return failed("node", `${found} is older than ${least}.`, `Install Node.js ${least} or later.`);
}

async function libraries(own: Manifest): Promise<DoctorFinding[]> {
  const here = createRequire(import.meta.url);
  const found: string[] = [];
  const faults: DoctorFinding[] = [];
  for (const name of NEEDED) {
    const range = own.dependencies?.[name];
    if (range === undefined) continue;
    try {
      const { version } = await manifestAt(manifestOf(here, name));
      found.push(`${name} ${version}`);
      if (!fits(version, range)) {
        faults.push(failed(name, `${version} is installed, ${range} is needed.`, "Run `npm ci` in anp's folder."));
      }
    } catch {
      faults.push(failed(name, "It is not installed.", "Run `npm ci` in anp's folder."));
    }
  }
  return faults.length > 0 ? faults : [ok("libraries", `${found.join(", ")}.`)];
}

/** Not every package lets its package.json be asked for by name. */
function manifestOf(here: NodeJS.Require, name: string): string {
  for (const folder of here.resolve.paths(name) ?? []) {
    const file = `${folder}/${name}/package.json`;
    try {
      return here.resolve(file);
    } catch {
      // In the next folder, perhaps.
    }
  }
  throw new Error(`${name} is not installed`);
}

/** Whether a version is in a range such as ^1.2.3 or ~1.2.3. */
function fits(version: string, range: string): boolean {
  const least = range.replace(/^[~^]/, "");
  const same = range.startsWith("~") ? 2 : 1;
  const head = (text: string): string => text.split(".").slice(0, same).join(".");
  return head(version) === head(least) && compare(version, least) >= 0;
}

function compare(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.split("-")[0]!.split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (x![at] ?? 0) - (y![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
