import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codesOf, endpointAt, ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import type { FileResult } from "../../src/smoke/run/smoke-result.ts";
import { anp, serveHere, type DaemonHere } from "../cli/anp.ts";
import { smokeFileOf } from "./smoke-files.ts";

const folder = join(import.meta.dirname, "../../fixtures/smoke");
const names = readdirSync(folder);
const paths = names.map((name) => join(folder, name));
const headers = new Map(paths.map((path) => [path, smokeFileOf(readFileSync(path, "utf8")).content]));

/** Errors of the interface's table; 500 is in it for the trade reward alone. */
const TABLE: ReadonlySet<number> = new Set([401, 422, 1005, 1007, 1009]);

async function smoke(args: readonly string[]): Promise<{ code: number | null; files: FileResult[]; stderr: string }> {
  const { code, stdout, stderr } = await anp(["smoke", "--json", ...args], { cwd: folder });
  return { code, files: JSON.parse(stdout) as FileResult[], stderr };
}

/** What did not pass, with what was wrong. */
function faults(files: readonly FileResult[]): string[] {
  const steps = files.flatMap(({ path, steps }) => steps.map((step) => ({ path, ...step })));
  return steps
    .filter(({ outcome }) => outcome !== "passed")
    .map(({ path, line, title, reason = "", problems }) =>
      [`${path}:${line} ${title} ${reason}`, ...problems.map((problem) => `${problem.path} ${problem.message}`)].join(
        "\n",
      ),
    );
}

describe("the bundled smoke files, each on a daemon of its own", () => {
  let run: Awaited<ReturnType<typeof smoke>>;
  let files: FileResult[];
  beforeAll(async () => {
    run = await smoke([folder]);
    ({ files } = run);
  });

  it("pass, all of them", () => {
    expect(faults(files)).toEqual([]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(files.map(({ path }) => path)).toEqual(paths);
    expect(files.filter(({ steps }) => steps.length === 0)).toEqual([]);
  });

  it("see every endpoint succeed and every error of the interface's table", () => {
    const seen = new Set(
      files.flatMap(({ steps }) =>
        steps.flatMap(({ request, answer = "" }) => {
          const endpoint = endpointAt(request.split(" ")[1]!.split("?")[0]!);
          const code = /^\d+ \{"success":(?:true|false),"code":(\d+)/.exec(answer)?.[1];
          return endpoint === undefined || code === undefined ? [] : [`${endpoint.path} ${code}`];
        }),
      ),
    );
    const wanted = Object.values<Endpoint>(ENDPOINTS).flatMap((endpoint) => [
      `${endpoint.path} 0`,
      ...codesOf(endpoint)
        .filter((code) => TABLE.has(code))
        .map((code) => `${endpoint.path} ${code}`),
    ]);
    expect([...wanted, `${ENDPOINTS.postTradeReward.path} 500`].filter((pair) => !seen.has(pair))).toEqual([]);
    for (const code of TABLE) expect(wanted.some((pair) => pair.endsWith(` ${code}`))).toBe(true);
  });

  it("have a file for each behaviour rule", () => {
    for (const rule of [1, 2, 3, 4, 5, 6, 7]) {
      expect(names.filter((name) => name.startsWith(`rule-${rule}-`))).toHaveLength(1);
    }
  });
});

/** Faults that can be on at once without one hiding what another shows. */
const TOGETHER: readonly { readonly asked: readonly string[] }[] = [
  { asked: [] },
  { asked: ["model=error", "trade-reward=error", "hot-topics=error", "events=write-error"] },
  { asked: ["storage=down", "answers=slow,ms=100"] },
];

describe("the bundled smoke files, against daemons that others use too", () => {
  const served = (faults: readonly string[]): string[] =>
    paths.filter((path) => {
      const own = headers.get(path)!.faults ?? [];
      return own.length === 0 ? faults.length === 0 : own.every((fault) => faults.includes(fault));
    });
  const daemons: DaemonHere[] = [];
  afterAll(async () => {
    await Promise.all(daemons.map((daemon) => daemon.end()));
  });

  it("leave no file out", () => {
    expect(TOGETHER.flatMap(({ asked }) => served(asked)).toSorted()).toEqual(paths);
  });

  it.for(TOGETHER)("pass with the faults $asked", async ({ asked }) => {
    const flags = asked.flatMap((fault) => ["--fault", fault]);
    const world = ["--demo", "--storage", "memory:", "--now", "2026-11-20T00:00:00Z"];
    const daemon = await serveHere([...world, ...flags], { cwd: folder });
    daemons.push(daemon);
    const run = await smoke([...served(asked), "--url", daemon.url, "--with-faults"]);
    expect(faults(run.files)).toEqual([]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
  });
});
