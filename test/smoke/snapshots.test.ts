import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inOrder } from "../../src/runtime/in-order.ts";
import type { FileResult } from "../../src/smoke/run/smoke-result.ts";
import { anp } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { faultsOf, outcomes } from "./smoke-files.ts";

let cwd: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ path: cwd, remove } = await temporaryFolder());
});
afterAll(() => remove());

/** Next to no content: its daemon starts faster. */
const SMALL = `fixtures: ${join(import.meta.dirname, "../data/small")}`;

const SNAPPED = `
${SMALL}
defaults: { token: alice-token, mask: [next_reset_at] }
steps:
  - id: me
    request: GET /api/v1/ai/me
    expect: { snapshot: true }
  - request: POST /api/v1/ai/points/exchange
    body: { token_amount: 1.5 }
    expect: { data: { points_earned: 15 } }
  - request: GET /api/v1/ai/points/ledger
    expect: { snapshot: entries, mask: [data.items.ref_id, created_at] }
  - request: GET /healthz
    expect: { snapshot: health }
`;

async function smoke(
  text: string,
  ...flags: string[]
): Promise<{ code: number | null; steps: string[]; stderr: string }> {
  await writeFile(join(cwd, "a.yaml"), text);
  const { code, stdout, stderr } = await anp(["smoke", "a.yaml", "--json", ...flags], { cwd });
  return { code, steps: (JSON.parse(stdout) as FileResult[]).flatMap(outcomes), stderr };
}

it("compares bodies with snapshots beside the file, which --update writes", async () => {
  const missing = await smoke(SNAPPED);
  expect([missing.code, missing.steps[0]]).toEqual([
    7,
    `failed: snapshot ${join(cwd, "a.me.snapshot.json")} does not exist; --update writes it`,
  ]);
  // A step that fails otherwise leaves its snapshot alone.
  const wrong = SNAPPED.replace("snapshot: health", "text: down, snapshot: health");
  expect((await smoke(wrong, "--update")).steps).toEqual([
    "passed",
    "passed",
    "passed",
    'failed: text expected "down", got "ok\\n"',
  ]);
  expect((await readdir(cwd)).filter((name) => name.endsWith(".json"))).toEqual([
    "a.entries.snapshot.json",
    "a.me.snapshot.json",
  ]);
  expect((await smoke(SNAPPED, "--update")).code).toBe(0);
  const entries = await readFile(join(cwd, "a.entries.snapshot.json"), "utf8");
  expect(JSON.parse(entries)).toMatchObject({
    request_id: "<a string>",
    data: { items: [{ id: 1, delta: 15, ref_id: "<a string>", created_at: "<a string>" }] },
  });
  expect(await smoke(SNAPPED)).toEqual({ code: 0, steps: Array<string>(4).fill("passed"), stderr: "" });

  await writeFile(join(cwd, "a.me.snapshot.json"), '"not the body"');
  await writeFile(join(cwd, "a.health.snapshot.json"), "{");
  const changed = await smoke(SNAPPED.replace("1.5", "2").replace("15", "20").replace("/healthz", "/healthz?a"));
  expect(changed.steps).toEqual([
    expect.stringMatching(/^failed: body expected "not the body", got \{"success":true/),
    "passed",
    expect.stringMatching(/^failed: data\.items\[0\]\.delta expected 15, got 20: data\.items\[0\]\.description /),
    expect.stringMatching(/^failed: snapshot .*health\.snapshot\.json: .* in JSON .*; --update writes it$/),
  ]);
});

it("refuses a snapshot without a name, or with one that is a path", () => {
  const step = (keys: string): string[] => faultsOf(`steps:\n  - { request: GET /readyz, ${keys} }\n`);
  expect([
    ...step("expect: { snapshot: true }"),
    ...step("at_once: 2, expect: { snapshot: x }"),
    ...step("expect: { snapshot: ../x }"),
  ]).toEqual([
    "2:39: snapshot true needs the step's id.",
    "2:51: snapshot excludes at_once.",
    "2:49: steps[0].expect.snapshot must be true, or a name of letters, digits, _ and -.",
  ]);
});

it("runs files at the same time and reports them in their order", async () => {
  const names = ["c", "a", "b"];
  for (const name of names) {
    const steps = `name: ${name}\n${SMALL}\nsteps:\n  - { request: GET /api/v1/ai/me, token: alice-token, now: +1d }\n`;
    await writeFile(join(cwd, `${name}.yaml`), steps);
  }
  const files = names.map((name) => `${name}.yaml`);
  const { code, stdout } = await anp(["smoke", ...files, "--jobs", "3"], { cwd });
  expect([code, stdout.split("\n").filter((line) => line.startsWith("# "))]).toEqual([
    0,
    [...files.map((file) => `# ${file}`), "# 3 passed, 0 failed, 0 skipped"],
  ]);
  expect((await anp(["smoke", "c.yaml", "--jobs", "17"], { cwd })).stderr).toContain(
    "--jobs must be an integer from 1 to 16",
  );
});

it("keeps as many under way as allowed, yields in order, and waits for the rest after a failure", async () => {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const work = async (index: number): Promise<number> => {
    events.push(`start ${index}`);
    await new Promise<void>((resolve) => (ends[index] = resolve));
    events.push(`end ${index}`);
    if (index === 2) throw new Error("failed");
    return index;
  };
  const results = inOrder(5, 2, work);
  const first = results.next();
  ends[1]!();
  ends[0]!();
  events.push(`got ${String((await first).value)}`);
  const second = results.next();
  events.push(`got ${String((await second).value)}`);
  const third = results.next();
  ends[2]!();
  ends[3]!();
  await expect(third).rejects.toThrow("failed");
  expect(events).toEqual([
    "start 0",
    "start 1",
    "end 1",
    "end 0",
    "got 0",
    "start 2",
    "got 1",
    "start 3",
    "end 2",
    "end 3",
  ]);
});
