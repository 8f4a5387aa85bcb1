import { escapeCharacter } from "../../runtime/text/escape-character.ts";
import { formatAnswer } from "./human-report.ts";
import { countOutcomes, type FileResult, type StepResult } from "../run/smoke-result.ts";

/** The results as TAP 14: one test per step, with the problems as a YAML block. */
export function toTap(files: readonly FileResult[]): string {
  const lines = ["TAP version 14"];
  let number = 0;
  for (const file of files) {
    lines.push(`# ${oneLine(file.path)}`);
    if (file.skipped !== undefined) lines.push(`ok ${++number} - ${escape(file.path)} # SKIP ${oneLine(file.skipped)}`);
    for (const step of file.steps) lines.push(...linesOf(file, step, ++number));
    if (file.unreachable !== undefined) lines.push(`Bail out! ${oneLine(file.unreachable)}`);
  }
  const { passed, failed, skipped } = countOutcomes(files);
  lines.push(`1..${number}`, `# ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return `${lines.join("\n")}\n`.replaceAll(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, escapeCharacter);
}

function linesOf(file: FileResult, step: StepResult, number: number): string[] {
  const name = `${number} - ${escape(`${file.path}:${step.line} ${step.title}`)}`;
  if (step.outcome === "skipped") return [`ok ${name} # SKIP ${oneLine(step.reason ?? "")}`];
  if (step.outcome === "passed") return [`ok ${name}`];
  const { problems, answer, curl: reproduce, tries, ms } = step;
  const others = { answer: answer && formatAnswer(step), reproduce, tries, duration_ms: Math.round(ms) };
  // JSON is valid YAML: each value is on one line, whatever its characters.
  const found = problems.map(({ about, path, message }) => `    - ${JSON.stringify({ about, at: path, message })}`);
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const lines = given.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [`not ok ${name}`, "  ---", "  problems:", ...found, ...lines, "  ..."];
}

/** `#` starts a directive, `\` escapes. */
const escape = (text: string): string => oneLine(text).replaceAll("\\", "\\\\").replaceAll("#", "\\#");
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
