import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/command-catalogue.ts";
import { readSamples, type Samples } from "../../src/client/daemon-status.ts";
import METRICS from "../../src/http/metrics/metrics.json" with { type: "json" };
import { serveHere } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";

const OPS = join(import.meta.dirname, "../../fixtures/ops");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups } = parse(readFileSync(join(OPS, "alerts.yml"), "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const selectors = rules.flatMap(({ alert, expr }) =>
  Array.from(expr.matchAll(/\b(up|(?:anp|process|nodejs)_\w+)(?:\{([^}]*)\})?/g), ([, name = "", matchers = ""]) => {
    return { alert, name, matchers };
  }),
);

describe("the alerts for Prometheus", () => {
  let samples: Samples;
  let declared: ReadonlySet<string>;

  beforeAll(async () => {
    const { path: cwd, remove } = await temporaryFolder();
    const daemon = await serveHere(["--storage", "memory:"], { cwd });
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    await daemon.end();
    await remove();
    samples = readSamples(text);
    declared = new Set(Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name!));
  });

  it("use only metrics that a daemon has, and labels and values that they have", () => {
    const tables = Object.values(METRICS).flatMap((table) => Object.entries<object>(table));
    const labelsOf = new Map(
      tables.map(([name, about]) => [name, "labelNames" in about ? (about.labelNames as string[]) : []]),
    );
    const wrong: string[] = [];
    for (const { alert, name, matchers } of selectors) {
      const stem = name.replace(/_bucket$/, "");
      if (name !== "up" && !declared.has(stem)) wrong.push(`${alert}: ${name}`);
      for (const [, label = "", list = ""] of matchers.matchAll(/(\w+)[!=~]+"([^"]*)"/g)) {
        // Prometheus adds the name of the job.
        if (label === "job") continue;
        if (!labelsOf.get(stem)!.includes(label)) wrong.push(`${alert}: ${name}{${label}}`);
        const known = new Set((samples.get(name) ?? []).map(({ labels }) => labels[label]));
        // Statuses and keys are counted when they occur.
        const values = list.split("|").filter((value) => /^\w+$/.test(value) && known.size > 0);
        for (const value of values) if (!known.has(value)) wrong.push(`${alert}: ${name}{${label}="${value}"}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(selectors.length).toBeGreaterThan(20);
  });

  it("have a severity, a summary, and a runbook that names a command", () => {
    const commands = new Set(CATALOGUE.map(({ name }) => name));
    for (const { alert, labels, annotations } of rules) {
      expect([alert, ["critical", "warning"].includes(labels.severity), annotations.summary !== ""]).toEqual([
        alert,
        true,
        true,
      ]);
      const named = Array.from(annotations.runbook.matchAll(/\banp ([a-z-]+)/g), ([, name]) => name!);
      expect([alert, named.length > 0, named.filter((name) => !commands.has(name))]).toEqual([alert, true, []]);
    }
  });

  it("are what promtool takes, and fire and stay silent as its cases say", ({ skip }) => {
    const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: OPS, encoding: "utf8" });
    if (promtool("--version").error !== undefined) {
      console.warn("The alerts are not tried: promtool (of Prometheus) is not installed.");
      skip();
    }
    for (const args of [
      ["check", "rules", "alerts.yml"],
      ["test", "rules", "alerts.test.yml"],
    ]) {
      const { status, stdout, stderr } = promtool(...args);
      expect([status, stderr], stdout).toEqual([0, ""]);
    }
  });
});
