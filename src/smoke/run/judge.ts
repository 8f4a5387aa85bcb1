import { checkResponse } from "../../contract/check-response.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { compare } from "./compare.ts";
import type { SmokeAnswer, SmokeRequest } from "./http-call.ts";
import type { Step } from "../file/smoke-file.ts";
import type { Problem } from "./problem.ts";

/** The problems of an answer: differences from the file's expectations, then deviations from the contract. */
export function judge(expect: NonNullable<Step["expect"]>, request: SmokeRequest, answer: SmokeAnswer): Problem[] {
  const problems = compareAll(expect, answer).map((problem) => ({ ...problem, path: problem.path || "body" }));
  const deviations = checkResponse({
    method: request.method,
    path: new URL(request.url).pathname,
    sent: request.headers,
    status: answer.status,
    headers: answer.headers,
    body: answer.body,
  });
  return [...problems, ...deviations.map(({ path, message }): Problem => ({ about: "contract", path, message }))];
}

function compareAll(expect: NonNullable<Step["expect"]>, answer: SmokeAnswer): Problem[] {
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
      compare(expected, answer.headers.get(name) ?? undefined, `headers.${name}`),
    ),
    ...(expect.text === undefined ? [] : compare(expect.text, answer.text, "text")),
    ...(expect.time === undefined ? [] : compare(expect.time, Math.round(answer.ms), "time")),
  ];
}

/** The status that belongs to the expected code. */
function usualStatus(code: unknown): number {
  const isKnown = typeof code === "number" && Object.hasOwn(ERRORS, code);
  return isKnown ? ERRORS[code as ErrorCode].status : 200;
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}
