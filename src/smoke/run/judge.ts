import { checkResponse } from "../../contract/check-response.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { compare } from "./compare.ts";
import type { SmokeAnswer, SmokeRequest } from "./http-call.ts";
import type { Step } from "../file/smoke-file.ts";
import type { Mismatch } from "./mismatch.ts";
import type { Problem } from "./smoke-result.ts";

/** What is wrong with an answer: by the file's expectations, then by the contract. */
export function judge(expect: NonNullable<Step["expect"]>, request: SmokeRequest, answer: SmokeAnswer): Problem[] {
  const problems = compareAll(expect, answer).map(toProblem);
  const deviations = checkResponse({
    method: request.method,
    path: new URL(request.url).pathname,
    sent: request.headers,
    status: answer.status,
    headers: answer.headers,
    body: answer.body,
  });
  for (const { path, message } of deviations) problems.push({ about: "contract", path, message });
  return problems;
}

function compareAll(expect: NonNullable<Step["expect"]>, answer: SmokeAnswer): Mismatch[] {
  const status = [
    ...compare(expect.status ?? usualStatus(expect.code), answer.status, "status"),
    ...(expect.code === undefined ? [] : compare(expect.code, fieldOf(answer.body, "code"), "code")),
  ];
  // An answer of another kind has another body: that its fields are missing tells nothing new.
  if (status.length > 0) return status;
  return [
    ...(expect.data === undefined ? [] : compare(expect.data, fieldOf(answer.body, "data"), "data")),
    ...(expect.body === undefined ? [] : compare(expect.body, answer.body, "")),
    ...Object.entries(expect.headers ?? {}).flatMap(([name, expected]) =>
      compare(expected, answer.headers.get(name) ?? undefined, `headers.${name}`),
    ),
    ...(expect.text === undefined ? [] : compare(expect.text, answer.text, "text")),
    ...(expect.time === undefined ? [] : compare(expect.time, Math.round(answer.ms), "time")),
  ];
}

/** The status that goes with the code that is expected. */
function usualStatus(code: unknown): number {
  const isKnown = typeof code === "number" && Object.hasOwn(ERRORS, code);
  return isKnown ? ERRORS[code as ErrorCode].status : 200;
}

function toProblem({ path, expected, got, hint }: Mismatch): Problem {
  const message = `expected ${expected}, got ${got}${hint === undefined ? "" : `. ${hint}`}`;
  return { about: "expectation", path: path || "body", message, expected, got };
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}
