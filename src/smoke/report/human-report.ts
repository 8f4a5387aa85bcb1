import { escapeCharacter } from "../../runtime/text/escape-character.ts";
import { countOutcomes, truncate, type FileResult, type Problem, type StepResult } from "../run/smoke-result.ts";

const [MAX_PROBLEMS, MAX_VALUE_LENGTH, MAX_ANSWER_LENGTH] = [10, 1500, 2500]; // In characters; `--json` holds all.

type Paint = (style: "bold" | "dim" | "red" | "green", text: string) => string;

/** The results of a file for people: passed steps on one line, failed ones with expected and actual values. */
export function toHuman(result: FileResult, paint: Paint): string {
  const file = JSON.parse(JSON.stringify(result, escaped)) as FileResult;
  const lines = [paint("bold", file.title === file.path ? file.path : `${file.path}  ${paint("dim", file.title)}`)];
  if (file.skipped !== undefined) lines.push(`  - ${paint("dim", `skipped: ${file.skipped}`)}`);
  for (const step of file.steps) lines.push(...linesOf(file, step, paint));
  const failed = file.steps.filter(({ outcome }) => outcome === "failed");
  if (file.serve !== undefined && failed.length > 0) {
    const token = failed.some(({ curl = "" }) => curl.includes("$TOKEN")) ? " and set TOKEN to the step's token" : "";
    lines.push(`  To try it by hand, start the same daemon${token}:`, `    ${file.serve}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Escapes control and bidi characters as `\uXXXX`. */
function escaped(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const harmful = key === "answer" || key === "curl" ? /[^\P{Cc}\n]|\p{Bidi_Control}/gu : /\p{Cc}|\p{Bidi_Control}/gu;
  return value.replaceAll(harmful, escapeCharacter);
}

/** The last line: the counts of all files. */
export function toSummary(files: readonly FileResult[], paint: Paint): string {
  const { ran, skippedFiles, passed, failed, skipped, ms } = countOutcomes(files);
  const good = paint(failed === 0 && passed > 0 ? "green" : "bold", `${passed} passed`);
  const parts = [failed > 0 && paint("red", `${failed} failed`), good, skipped > 0 && `${skipped} skipped`];
  const where = `${countOf(ran, "file")}${skippedFiles > 0 ? ` (${countOf(skippedFiles, "file")} skipped)` : ""}`;
  return `${parts.filter(Boolean).join(", ")} in ${where}, ${duration(ms)}\n`;
}

function linesOf(file: FileResult, step: StepResult, paint: Paint): string[] {
  const { outcome, phase, title, reason = "", tries } = step;
  const name = phase === "steps" ? title : `${phase}: ${title}`;
  const took = paint("dim", `${duration(step.ms)}${tries > 1 ? `, ${tries} tries` : ""}`);
  if (outcome === "passed") return [`  ${paint("green", "✓")} ${name}  ${took}`];
  if (outcome === "skipped") return [`  - ${name}  ${paint("dim", `skipped: ${reason}`)}`];
  return [
    `  ${paint("red", "✗")} ${paint("bold", name)}  ${took}`,
    `      ${paint("dim", `${file.path}:${step.line}`)}  ${step.request}`,
    ...step.problems.slice(0, MAX_PROBLEMS).flatMap((problem) => problemLines(problem, paint)),
    ...(step.problems.length > MAX_PROBLEMS ? [`      and ${step.problems.length - MAX_PROBLEMS} more`] : []),
    ...(step.answer === undefined ? [] : [`      answer: ${formatAnswer(step).replaceAll("\n", "\n      ")}`]),
    ...(step.curl === undefined ? [] : [`      ${paint("dim", step.curl)}`]),
  ];
}

/** The answer; a long one from its first wrong field on. */
export function formatAnswer({ answer = "", problems }: StepResult): string {
  const field = (problems[0]?.path.split(/[.[\]]/) ?? []).findLast((name) => !/^(?:\d*|length)$/.test(name));
  return truncate(answer, MAX_ANSWER_LENGTH, field && `"${field}":`);
}

function problemLines({ about, path, message, expected, got }: Problem, paint: Paint): string[] {
  if (expected === undefined || got === undefined) {
    const label = about === "contract" ? "contract: " : "";
    return [`      ${paint("red", `${label}${path === "" ? "" : `${path} `}${message}`)}`];
  }
  const hint = /\. (Did you mean .*|Its rate .*)$/.exec(message)?.[1];
  return [
    `      ${paint("red", path)}`,
    `        expected  ${paint("green", truncate(expected, MAX_VALUE_LENGTH))}`,
    `        got       ${paint("red", truncate(got, MAX_VALUE_LENGTH))}${hint === undefined ? "" : `  ${hint}`}`,
  ];
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
