import { expect, it } from "vitest";
import { toJunit } from "../../src/smoke/report/junit-report.ts";
import type { FileResult, StepResult } from "../../src/smoke/run/smoke-result.ts";

/** Rules of junit-10.xsd of Jenkins' xUnit plugin: attributes (`!` is required), and elements inside. */
const RULES: Readonly<Record<string, { attributes: string; inside: string }>> = {
  testsuites: { attributes: "name time tests failures errors", inside: "testsuite" },
  testsuite: {
    attributes: "name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
    inside: "testsuite properties testcase system-out system-err",
  },
  testcase: { attributes: "name! time classname group", inside: "skipped error failure system-out system-err" },
  failure: { attributes: "type message", inside: "" },
  skipped: { attributes: "type message", inside: "" },
};
const SECONDS = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;
/** Char of XML 1.0, and without what starts markup or a reference. */
const TEXT = /^(?:[\t\n\r\x20-%'-;=\u{5d}-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}?-\\]|&(?:amp|lt|gt|quot|apos);)*$/u;

/** What in a document breaks the schema. */
function violations(xml: string): string[] {
  const found: string[] = [];
  const open: string[] = [];
  const [head, ...rest] = xml.split(/(<[^>]*>)/).slice(1);
  if (head !== '<?xml version="1.0" encoding="UTF-8"?>') found.push(`starts with ${head}`);
  for (const part of rest) {
    const [, end, name = "", given = "", empty] =
      /^<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>$/s.exec(part) ?? [];
    if (name === "") {
      if (!TEXT.test(part)) found.push(`forbidden characters in ${JSON.stringify(part)}`);
      if (part.trim() !== "" && !["failure", "skipped"].includes(open.at(-1) ?? ""))
        found.push(`text in ${open.at(-1)}`);
      continue;
    }
    if (end === "/") {
      if (open.pop() !== name) found.push(`</${name}> closes another element`);
      continue;
    }
    const allowed = open.length === 0 ? ["testsuites"] : RULES[open.at(-1)!]!.inside.split(" ");
    if (!allowed.includes(name)) found.push(`<${name}> in <${open.at(-1)}>`);
    const attributes = new Map([...given.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]));
    const rules = RULES[name]?.attributes.split(" ") ?? [];
    for (const [key, value] of attributes) {
      if (!rules.some((rule) => rule.replace("!", "") === key)) found.push(`${name} has no attribute ${key}`);
      if (!TEXT.test(value)) found.push(`forbidden characters in ${key}`);
      if (key === "time" && !SECONDS.test(value)) found.push(`time ${value}`);
    }
    for (const rule of rules) {
      if (rule.endsWith("!") && !attributes.has(rule.slice(0, -1))) found.push(`${name} lacks ${rule.slice(0, -1)}`);
    }
    if (empty !== "/") open.push(name);
  }
  return [...found, ...open.map((name) => `<${name}> is not closed`)];
}

const STEP: StepResult = {
  phase: "steps",
  number: 1,
  line: 3,
  title: "a ]]> b",
  request: "GET /x?a=1&b=2",
  outcome: "passed",
  problems: [],
  tries: 1,
  ms: 1_234_567.8,
};
const HOSTILE = "\u0000\u0001\u001b[31m\ufffe\uffff\ud800 <b> & \"q\" 'a' ]]> \u{1f600}\n\t";

it("writes JUnit that Jenkins' schema accepts, whatever the texts are", () => {
  const problems = [{ about: "expectation", path: HOSTILE, message: HOSTILE, expected: "1", got: "2" }] as const;
  const files: FileResult[] = [
    {
      path: `${HOSTILE}.yaml`,
      title: HOSTILE,
      ms: 0,
      steps: [
        STEP,
        { ...STEP, outcome: "failed", title: HOSTILE, problems, answer: HOSTILE, curl: HOSTILE },
        { ...STEP, outcome: "failed" },
        { ...STEP, outcome: "skipped", reason: HOSTILE, phase: "cleanup" },
      ],
    },
    { path: "skipped.yaml", title: "skipped.yaml", skipped: HOSTILE, steps: [], ms: 0 },
  ];
  const xml = toJunit(files);
  expect(violations(xml)).toEqual([]);
  expect(xml).toContain('<testsuites name="anp smoke" tests="5" failures="2" errors="0"');
  expect(xml).toContain('tests="1" failures="0" errors="0" skipped="1"');
  expect(violations(toJunit([]))).toEqual([]);
  // The rules themselves find what breaks them.
  expect(violations(xml.replace("<testcase ", '<testcase line="3" ')).length).toBe(1);
  expect(violations(xml.replace("</failure>", "\u0001</failure>")).length).toBe(1);
  expect(violations(xml.replace("<skipped ", "<note ")).length).toBeGreaterThan(0);
});
