import { escapeUTF8 } from "entities";
import { formatAnswer } from "./human-report.ts";
import { countOutcomes, type FileResult, type StepResult } from "../run/smoke-result.ts";

/** The results as JUnit XML: one suite per file, one case per step.
 * @see https://github.com/jenkinsci/xunit-plugin its junit-10.xsd defines the elements and their attributes */
export function toJunit(files: readonly FileResult[]): string {
  const { skipped: _, ...counts } = countsOf(files);
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', open("testsuites", { name: "anp smoke", ...counts })];
  return [...head, ...files.flatMap(suiteOf), "</testsuites>", ""].join("\n");
}

function suiteOf(file: FileResult): string[] {
  const { path, title, skipped, steps } = file;
  const caseOf = (content: string, attributes: { readonly name: string; readonly time?: string }) =>
    `    ${open("testcase", { classname: path, ...attributes })}${content}</testcase>`;
  const cases = steps.map((step) => caseOf(contentOf(path, step), { name: step.title, time: seconds(step.ms) }));
  if (skipped !== undefined) cases.push(caseOf(skip(skipped), { name: title }));
  return [`  ${open("testsuite", { name: title, file: path, ...countsOf([file]) })}`, ...cases, "  </testsuite>"];
}

function countsOf(files: readonly FileResult[]) {
  const { passed, failed, ms, ...rest } = countOutcomes(files);
  const skipped = rest.skipped + rest.skippedFiles;
  return { tests: passed + failed + skipped, failures: failed, errors: 0, skipped, time: seconds(ms) };
}

function contentOf(path: string, step: StepResult): string {
  const { outcome, problems, reason = "", curl, answer } = step;
  if (outcome === "passed") return "";
  if (outcome === "skipped") return skip(reason);
  const messages = problems.map((problem) => `${problem.path === "" ? "" : `${problem.path}: `}${problem.message}`);
  const shown = answer === undefined ? undefined : `answer: ${formatAnswer(step)}`;
  const lines = [`${path}:${step.line}  ${step.request}`, ...messages, shown, curl];
  const detail = lines.filter((line) => line !== undefined);
  const type = problems[0]?.about ?? "expectation";
  return `${open("failure", { type, message: messages[0] ?? "" })}${escape(detail.join("\n"))}</failure>`;
}

const skip = (reason: string): string => `<skipped message="${escape(reason)}"/>`;

function open(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const text = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(String(value))}"`);
  return `<${name}${text.join("")}>`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Characters that XML 1.0 does not allow become U+FFFD. */
const escape = (text: string): string =>
  escapeUTF8(text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "\ufffd"));
