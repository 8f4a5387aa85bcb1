import { checkResponse } from "../../contract/check-response.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import { parseJson } from "../../runtime/parse-json.ts";
import { isRecord } from "../file/json-values.ts";
import type { WireRequest } from "../../client/transport.ts";
import type { SmokeAnswer } from "./smoke-result.ts";
import type { Step } from "../file/smoke-file.ts";
import { isMatching, MATCHERS, type Matcher, type MatcherName } from "./matchers.ts";
import { differences, differs, show, type Compare, type Problem } from "./problem.ts";

/** The value of a JSON body; undefined when the headers or the text say that it is none. */
export function bodyOf({ headers, text }: Pick<SmokeAnswer, "headers" | "text">): unknown {
  return /\bjson\b/i.test(headers["content-type"] ?? "") ? parseJson(text) : undefined;
}

/** The problems of an answer: differences from the file's expectations, then deviations from the contract. */
export function judge(expect: NonNullable<Step["expect"]>, request: WireRequest, answer: SmokeAnswer): Problem[] {
  const problems = compareAll(expect, answer).map((problem) => ({ ...problem, path: problem.path || "body" }));
  const deviations = checkResponse({
    method: request.method,
    path: new URL(request.url).pathname,
    sent: request.headers,
    status: answer.status,
    headers: { get: (name) => answer.headers[name] ?? null },
    body: answer.body,
  });
  return [...problems, ...deviations.map(({ path, message }): Problem => ({ about: "contract", path, message }))];
}

function compareAll(expect: NonNullable<Step["expect"]>, answer: SmokeAnswer): Problem[] {
  // Where answers are counted, the other expectations are about those of status 200.
  if (expect.counts !== undefined && answer.status !== 200) return [];
  const status = [
    ...compare(expect.status ?? usualStatus(expect.code), answer.status, "status"),
    ...(expect.code === undefined ? [] : compare(expect.code, fieldOf(answer.body, "code"), "code")),
  ];
  // With another status the body is another one, so comparing its fields would add nothing.
  if (status.length > 0) return status;
  return [
    ...(expect.data === undefined ? [] : compare(expect.data, fieldOf(answer.body, "data"), "data")),
    ...(expect.body === undefined ? [] : compare(expect.body, answer.body, "")),
    ...Object.entries(expect.headers ?? {}).flatMap(([name, expected]) =>
      compare(expected, answer.headers[name.toLowerCase()], `headers.${name}`),
    ),
    ...(expect.text === undefined ? [] : compareText(expect.text, answer.text)),
    ...(expect.time === undefined ? [] : compare(expect.time, Math.round(answer.ms), "time")),
  ];
}

/** Texts that are JSON are compared field by field first: a difference has a name then. */
function compareText(expected: unknown, actual: string): readonly Problem[] {
  const problems = compare(expected, actual, "text");
  if (problems.length === 0 || typeof expected !== "string") return problems;
  const [wanted, got] = [parseJson(expected), parseJson(actual)];
  const named = wanted === undefined || got === undefined ? [] : differences(wanted, got, "");
  return named.length === 0 ? problems : named;
}

/** The problems of the numbers of answers by status or code; an answer that none of the keys counts is one. */
export function judgeCounts(counts: Readonly<Record<string, unknown>>, answers: readonly SmokeAnswer[]): Problem[] {
  const keysOf = ({ status, body }: SmokeAnswer): string[] => [String(status), String(fieldOf(body, "code"))];
  const count = (key: string): number => answers.filter((answer) => keysOf(answer).includes(key)).length;
  const others = answers.filter((answer) => !keysOf(answer).some((key) => Object.hasOwn(counts, key)));
  return [
    ...Object.entries(counts).flatMap(([key, expected]) => compare(expected, count(key), `counts.${key}`)),
    ...[...new Set(others.map(({ status }) => String(status)))].map((key) =>
      differs(`counts.${key}`, "no such answer", count(key)),
    ),
  ];
}

function usualStatus(code: unknown): number {
  const isKnown = typeof code === "number" && Object.hasOwn(ERRORS, code);
  return isKnown ? ERRORS[code as ErrorCode].status : 200;
}

function fieldOf(body: unknown, name: string): unknown {
  return isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined;
}

/**
 * Compares an answer with what a file expects: objects may have further fields, arrays must have the same length, matchers
 * apply their rule, and everything else must be equal.
 */
const compare: Compare = (expected, actual, path) => {
  if (isMatching(expected)) {
    if (Array.isArray(actual) && actual.length === 0 && "$each" in expected && !("$length" in expected)) {
      return [differs(path, "at least one element ($length: { $gte: 0 } allows none)", actual)];
    }
    return Object.entries(expected).flatMap(([name, argument]) => {
      const matcher: Matcher = MATCHERS[name as MatcherName];
      return matcher.match(actual, argument as never, path, compare);
    });
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [differs(path, show(expected), actual)];
    if (actual.length !== expected.length) {
      return [differs(`${path}.length`, String(expected.length), actual.length)];
    }
    return expected.flatMap((item, index) => compare(item, actual[index], `${path}[${index}]`));
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return [differs(path, show(expected), actual)];
    return Object.entries(expected).flatMap(([key, value]) => {
      const field = fieldOf(actual, key);
      const found = compare(value, field, path === "" ? key : `${path}.${key}`);
      const hint = field === undefined ? didYouMean(key, Object.keys(actual)) : "";
      return hint === "" ? found : found.map((problem) => ({ ...problem, message: `${problem.message}.${hint}` }));
    });
  }
  return expected === actual ? [] : [differs(path, show(expected), actual)];
};
