import { z } from "zod";
import { codesOf, endpointAt, type Endpoint } from "../../contract/endpoints.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import { ERRORS } from "../../contract/errors.ts";
import { knownKeys } from "../../contract/validation/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validation/validate-value.ts";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import { isRecord } from "./json-values.ts";
import type { Step } from "./smoke-file.ts";

function operationOf({ request }: Step): Endpoint | undefined {
  const [method, target = ""] = request.split(" ");
  return method === "OPTIONS" ? undefined : endpointAt(target.split("?", 1)[0]!);
}

/** What `${step.…}` may name: fields of envelopes and of every answer; undefined for pages and unknown paths: any. */
export function answerOf(step: Step): z.ZodObject | undefined {
  const operation = operationOf(step);
  if (operation === undefined || step.request.startsWith("HEAD ")) return undefined;
  const body = errorEnvelope.extend({ success: z.boolean(), data: operation.data });
  const answer = body.extend({ body, status: z.int(), headers: z.unknown(), text: z.string() });
  return answer.extend({ all: z.array(answer) });
}

/** The errors of a step by the contract: a status or a code that its operation does not have, unknown names. */
export function checkOperation(step: Step, path: ValuePath): InvalidField[] {
  const operation = operationOf(step);
  if (operation === undefined) return [];
  const { expect = {}, query = {}, body } = step;
  const name = `${operation.method} ${operation.path}`;
  const codes = codesOf(operation);
  const statuses = new Set([200, ...(operation.max_age_s ? [304] : []), ...codes.map((code) => ERRORS[code].status)]);
  const known = { status: [...statuses].sort((a, b) => a - b), code: [0, ...codes] };
  const parameters = Object.keys(operation.query?.shape ?? {});
  const fields = Object.keys(operation.body?.shape ?? {});
  const isRefusal = Number(expect.status ?? expect.code ?? 0) >= 400;
  const misspelt = isRecord(body) && !isRefusal ? Object.keys(body).filter((key) => !fields.includes(key)) : [];
  return [
    ...(["status", "code"] as const).flatMap((key) => {
      const expected = expect[key];
      if (typeof expected !== "number" || known[key].includes(expected)) return [];
      const message = `${name} has no ${key} ${expected}. It has ${known[key].join(", ")}.`;
      return { path: [...path, "expect", key], message };
    }),
    ...Object.keys(query).flatMap((key): InvalidField[] => {
      const hint = (hintFor(key, parameters) || "It has none").replace(/\w$/, "$&.");
      const message = `${key} is not a parameter of ${name}. ${hint} To send it all the same, write it in the path.`;
      return parameters.includes(key) ? [] : [{ path: [...path, "query", key], of: "key", message }];
    }),
    ...misspelt.flatMap((key): InvalidField[] => {
      const hint = didYouMean(key, fields);
      const message = `${key} is not a field of the body.${hint} To send it all the same, use raw.`;
      return hint === "" ? [] : [{ path: [...path, "body", key], of: "key", message }];
    }),
  ];
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
