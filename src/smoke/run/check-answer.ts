import { validateResponse } from "../../contract/validation/validate-response.ts";
import { endpointAt } from "../../contract/endpoints.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { isRecord } from "../../runtime/json/json-values.ts";
import type { WireRequest } from "../../client/transport.ts";
import { differs, type Problem, type SmokeAnswer } from "./smoke-result.ts";
import type { Step } from "../file/smoke-file.ts";
import { compare } from "./matchers.ts";

/** The value of a JSON body; undefined when the headers or the text are not JSON. */
export const bodyOf = ({ headers, text }: Pick<SmokeAnswer, "headers" | "text">): unknown =>
  /\bjson\b/i.test(headers["content-type"] ?? "") ? parseJson(text) : undefined;

/** The problems of an answer: differences from the file's expectations, then deviations from the contract. */
export function checkAnswer(expect: NonNullable<Step["expect"]>, request: WireRequest, answer: SmokeAnswer): Problem[] {
  const { pathname: path } = new URL(request.url);
  const { method, headers: sent } = request;
  const headers = { get: (name: string) => answer.headers[name] ?? null };
  const deviations = validateResponse({ ...answer, method, path, sent, headers });
  const rate = endpointAt(path)?.rate; // The rate group, which tells which limit the operation counts for.
  const hinted = compareAll(expect, answer).map((problem) => {
    const { path, message, expected, got } = problem;
    const isOfRate = `${path} ${expected}` === "status 429" || (/^headers\.ratelimit/i.test(path) && got === "nothing");
    const hint = rate && isOfRate ? `. Its rate is limits.rates.${rate}` : "";
    return { ...problem, path: path || "body", message: `${message}${hint}` };
  });
  return [...hinted, ...deviations.map(({ path, message }): Problem => ({ about: "contract", path, message }))];
}

function compareAll(expect: NonNullable<Step["expect"]>, answer: SmokeAnswer): Problem[] {
  // Where answers are counted, the other expectations are about those of status 200.
  if (expect.counts !== undefined && answer.status !== 200) return [];
  const { code } = expect;
  const usual = typeof code === "number" && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].status : 200;
  const status = [
    ...compare(expect.status ?? usual, answer.status, "status"),
    ...(code === undefined ? [] : compare(code, fieldOf(answer.body, "code"), "code")),
  ];
  if (status.length > 0) return status; // With another status the body has other fields.
  return [
    ...(expect.data === undefined ? [] : compare(expect.data, fieldOf(answer.body, "data"), "data")),
    ...(expect.body === undefined ? [] : compare(expect.body, answer.body, "")),
    ...Object.entries(expect.headers ?? {}).flatMap(([name, expected]) =>
      compareHeader(expected, answer.headers[name.toLowerCase()], `headers.${name}`),
    ),
    ...(expect.text === undefined ? [] : compareText(expect.text, answer.text)),
    ...(expect.time === undefined ? [] : compare(expect.time, Math.round(answer.ms), "time")),
  ];
}

/** A header is text; a numeric or boolean one is also compared as a number or boolean. */
function compareHeader(expected: unknown, actual: string | undefined, path: string): readonly Problem[] {
  const problems = compare(expected, actual, path);
  const typed = /^(-?\d+(\.\d+)?|true|false)$/.test(actual ?? "") ? parseJson(actual!) : undefined;
  if (problems.length === 0 || typed === undefined || typeof expected === "string") return problems;
  const others = compare(expected, typed, path);
  return others.length > problems.length ? problems : others;
}

/** Texts that are JSON are compared field by field first: a difference has a name then. */
function compareText(expected: unknown, actual: string): readonly Problem[] {
  const problems = compare(expected, actual, "text");
  if (problems.length === 0 || typeof expected !== "string") return problems;
  const [wanted, got] = [parseJson(expected), parseJson(actual)];
  const named = wanted === undefined || got === undefined ? [] : compare(wanted, got, "", "exact");
  return named.length === 0 ? problems : named;
}

/** The problems of the numbers of answers by status or code; an answer that no key counts is a problem, too. */
export function judgeCounts(counts: Readonly<Record<string, unknown>>, answers: readonly SmokeAnswer[]): Problem[] {
  const keysOf = ({ status, body }: SmokeAnswer): string[] => [String(status), String(fieldOf(body, "code"))];
  const count = (key: string): number => answers.filter((answer) => keysOf(answer).includes(key)).length;
  // 0 and 1005 are codes; 200 and 429 are both.
  const isByCode = Object.keys(counts).some((key) => Number(key) < 100 || Number(key) >= 1000);
  const others = answers.filter((answer) => !keysOf(answer).some((key) => Object.hasOwn(counts, key)));
  return [
    ...Object.entries(counts).flatMap(([key, expected]) => compare(expected, count(key), `counts.${key}`)),
    ...[...new Set(others.map((answer) => keysOf(answer)[isByCode ? 1 : 0]!))].map((key) =>
      differs(`counts.${key}`, "no such answer", count(key)),
    ),
  ];
}

const fieldOf = (body: unknown, name: string) => (isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined);
