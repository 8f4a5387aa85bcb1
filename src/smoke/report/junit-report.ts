import { escapeUTF8 } from "entities";
import { shownAnswer } from "./human-report.ts";
import { countOutcomes, type FileResult, type StepResult } from "../run/smoke-result.ts";

/** The results as JUnit XML: one suite per file, one case per step.
 * @see https://github.com/jenkinsci/xunit-plugin its junit-10.xsd defines the elements and their attributes */
export function toJunit(files: readonly FileResult[]): string {
  const { skipped: _, ...counts } = countsOf(files);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    open("testsuites", { name: "anp smoke", ...counts }),
    ...files.flatMap(suiteOf),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteOf(file: FileResult): string[] {
  return [
    `  ${open("testsuite", { name: file.title, file: file.path, ...countsOf([file]) })}`,
    ...(file.skipped === undefined
      ? []
      : [`    ${open("testcase", { classname: file.path, name: file.title })}${skip(file.skipped)}</testcase>`]),
    ...file.steps.flatMap((step) => caseOf(file, step)),
    "  </testsuite>",
  ];
}

function countsOf(files: readonly FileResult[]) {
  const { passed, failed, ms, ...rest } = countOutcomes(files);
  const skipped = rest.skipped + rest.skippedFiles;
  return { tests: passed + failed + skipped, failures: failed, errors: 0, skipped, time: seconds(ms) };
}

function caseOf(file: FileResult, step: StepResult): string[] {
  const { title, line, outcome, problems, reason = "", curl, answer } = step;
  const head = open("testcase", { classname: file.path, name: title, time: seconds(step.ms) });
  if (outcome === "passed") return [`    ${head}</testcase>`];
  if (outcome === "skipped") return [`    ${head}${skip(reason)}</testcase>`];
  const messages = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const detail = [
    `${file.path}:${line}  ${step.request}`,
    ...messages,
    ...(answer === undefined ? [] : [`answer: ${shownAnswer(step)}`]),
    ...(curl === undefined ? [] : [curl]),
  ];
  const kind = problems[0]?.about ?? "expectation";
  const failure = open("failure", { type: kind, message: messages[0] ?? "" });
  return [`    ${head}${failure}${escape(detail.join("\n"))}</failure></testcase>`];
}

function skip(reason: string): string {
  return `<skipped message="${escape(reason)}"/>`;
}

function open(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const text = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(String(value))}"`);
  return `<${name}${text.join("")}>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Characters that XML 1.0 does not allow become U+FFFD. */
function escape(text: string): string {
  return escapeUTF8(text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "\ufffd"));
}
