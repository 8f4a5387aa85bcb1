import { z } from "zod";
import { operationAt } from "../../contract/check-response.ts";
import { ENDPOINTS } from "../../contract/endpoints.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import { knownKeys } from "../../contract/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validate.ts";
import { isMatching } from "../run/matchers.ts";
import type { Step } from "./smoke-file.ts";

/** The fields that a step expects and the contract does not have. */
export function checkExpectedFields(step: Step, path: ValuePath): InvalidField[] {
  const { data, body } = step.expect ?? {};
  const check = expectationCheck(answerOf(step));
  return [...check(data, ["data"], [...path, "expect", "data"]), ...check(body, ["body"], [...path, "expect", "body"])];
}

/**
 * The schema of what `${step.…}` may name: the fields of the envelopes of success and failure, and those of every answer.
 * Undefined for pages and unknown paths, whose answers may have any field.
 */
export function answerOf({ request }: Step): z.ZodObject | undefined {
  const [method, target = ""] = request.split(" ");
  const id = method === "HEAD" ? undefined : operationAt(target.split("?", 1)[0]!);
  if (id === undefined) return undefined;
  const body = errorEnvelope.extend({ data: ENDPOINTS[id].data });
  const answer = body.extend({ body, status: z.int(), headers: z.unknown(), text: z.string() });
  return answer.extend({ all: z.array(answer) });
}

/** A check of the keys of an expectation of a part of an answer. */
function expectationCheck(answer: z.ZodObject | undefined) {
  return function check(expected: unknown, keys: readonly string[], place: ValuePath): InvalidField[] {
    if (typeof expected !== "object" || expected === null) return [];
    return Object.entries(expected).flatMap(([key, value]: [string, unknown]) => {
      if (Array.isArray(expected)) return check(value, [...keys, key], [...place, Number(key)]);
      const path = [...place, key];
      if (!isMatching(expected)) {
        const message = expectsAbsence(value) ? undefined : unknownIn(answer, [...keys, key]);
        return message === undefined ? check(value, [...keys, key], path) : [{ path, of: "key", message }];
      }
      if (key === "$each" || key === "$contains") return check(value, [...keys, "0"], path);
      if (key === "$not" || key === "$exact") return check(value, keys, path);
      if (Array.isArray(value) && (key === "$in" || key === "$all")) {
        return value.flatMap((one, index) => check(one, keys, [...path, index]));
      }
      const { by } = (key === "$sorted" ? Object(value) : {}) as { by?: string };
      const message = by === undefined ? undefined : unknownIn(answer, [...keys, "0", ...by.split(".")]);
      return message === undefined ? [] : [{ path: [...path, "by"], message }];
    });
  };
}

/** Whether an expectation can be that a field does not exist. */
function expectsAbsence(expected: unknown): boolean {
  return /"\$exists":(?!true)|"\$not":\{"\$exists":true/.test(JSON.stringify(expected));
}

/** What is wrong with a path; undefined where every field exists or the contract does not say. */
export function unknownIn(answer: z.ZodObject | undefined, path: readonly string[]): string | undefined {
  if (answer === undefined) return undefined;
  for (const [index, key] of path.entries()) {
    const known = knownKeys(answer, path.slice(0, index));
    if (known.length === 0 || known.includes(key)) continue;
    const hint = hintFor(key, known);
    const name = path.slice(0, index + 1).join(".");
    return `${name} is not a field of the answer.${hint && ` ${hint}${hint.endsWith("?") ? "" : "."}`}`;
  }
  return undefined;
}
