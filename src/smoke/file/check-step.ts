import { z } from "zod";
import { validate, type InvalidField, type ValuePath, hintFor } from "../../contract/validation/validate-value.ts";
import { schemaAt, unwrapSchema, knownKeys } from "../../contract/validation/schema-walk.ts";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import { ARGUMENTS, isMatcherName, isMatching, MATCHERS } from "../run/matchers.ts";
import MATCHER_TEXTS from "../run/matchers.json" with { type: "json" };
import { itemsOf, isRecord } from "../../runtime/json/json-values.ts";
import OTHER_TOOLS from "./other-tools.json" with { type: "json" };
import { textsIn } from "./resolve-references.ts";
import { codesOf, endpointAt, type Endpoint } from "../../contract/endpoints.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import { ERRORS } from "../../contract/errors.ts";
import type { Step } from "./smoke-file.ts";

interface Subject {
  readonly answer: z.ZodObject;
  readonly keys: readonly string[];
  readonly isCompared?: boolean; // Whether the value itself is compared: not in `$not`.
}

/** The errors of an expectation: unknown matchers, wrong arguments, and values that the contract excludes. */
export function checkExpectation(expected: unknown, path: ValuePath, subject?: Subject): InvalidField[] {
  if (typeof expected !== "object" || expected === null) return subject ? checkValue(expected, path, subject) : [];
  if (isMatching(expected))
    return Object.entries(expected).flatMap(([key, given]) => checkMatcher(key, given, [...path, key], subject));
  const schema = subject && subject.isCompared !== false ? schemaAt(subject.answer, subject.keys) : undefined;
  const checked =
    schema && !(unwrapSchema(schema).inner instanceof z.ZodUnion) ? validate(schema, expected) : undefined;
  const whole = checked?.valid === false && checked.errors.find((error) => error.path.length === 0);
  if (whole && /^must be an? (array|object|integer|number|string)/.test(whole.message)) {
    const form = Array.isArray(expected) ? "{ $in: [A, B] }" : "{ $length: 3 }, { $each: … } or { $contains: … }";
    return [{ path, message: `${subject!.keys.join(".")} ${whole.message}. Write ${form}.` }];
  }
  return itemsOf(expected).flatMap(([key, value]): InvalidField[] => {
    const place = [...path, key];
    const inner = subject && { ...subject, keys: [...subject.keys, String(key)] };
    const message = inner === undefined || expectsAbsence(value) ? undefined : unknownPath(inner.answer, inner.keys);
    return message === undefined ? checkExpectation(value, place, inner) : [{ path: place, of: "key", message }];
  });
}

function checkValue(expected: unknown, path: ValuePath, { answer, keys, isCompared = true }: Subject): InvalidField[] {
  const schema = schemaAt(answer, keys);
  if (schema === undefined || !isCompared || hasReference(expected)) return [];
  const checked = validate(schema, expected);
  if (checked.valid) return [];
  const [, sign = "", bound] = /^(>=?|<=?) *(-?[\d.]+)$/.exec(String(expected)) ?? [];
  const [, hundreds] = /^([1-5])xx$/i.exec(String(expected)) ?? [];
  const matcher = { ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte" }[sign];
  const range = hundreds && ` Write { $gte: ${hundreds}00, $lte: ${hundreds}99 }.`;
  const hint = matcher ? ` Write { ${matcher}: ${bound} }.` : (range ?? "");
  return [{ path, message: `${keys.join(".")} ${checked.errors[0]!.message}.${hint}` }];
}

function checkMatcher(name: string, argument: unknown, path: ValuePath, subject?: Subject): InvalidField[] {
  const known = Object.keys(MATCHERS);
  if (!isMatcherName(name)) {
    const hint = (OTHER_TOOLS.matcher as Record<string, string>)[name] ?? didYouMean(name, known).trim();
    const message = name.startsWith("$")
      ? `${name} is not a matcher.${hint && ` ${hint}`} Known matchers: ${known.join(", ")}.`
      : `${name} is next to a matcher: an object has fields or matchers, not both.`;
    return [{ path, of: "key", message }];
  }
  const { example, takes }: { example: string; takes?: string } = MATCHER_TEXTS[name];
  const refuse = (message: string) => [{ path, message: `${name} ${message}, such as ${example}.` }];
  if (takes === "expectations" && !Array.isArray(argument)) return refuse("must be an array");
  if (takes !== undefined) {
    const keys = [...(subject?.keys ?? []), ...(name === "$each" || name === "$contains" ? ["0"] : [])];
    const about = name === "$length" ? undefined : subject && { ...subject, isCompared: name !== "$not", keys };
    if (takes === "expectation") return checkExpectation(argument, path, about);
    return itemsOf(argument).flatMap(([key, item]) => checkExpectation(item, [...path, key], about));
  }
  const fields = checkFields(name, argument, path, subject);
  // An argument with a reference is checked again once the reference is resolved.
  if (fields.length > 0 || hasReference(argument)) return fields;
  const checked = validate(ARGUMENTS[name]!, argument);
  return checked.valid ? [] : refuse(checked.errors[0]!.message);
}

function checkFields(name: string, argument: unknown, path: ValuePath, subject?: Subject): InvalidField[] {
  if (name === "$exact" && !JSON.stringify(argument).includes('"$'))
    return checkExpectation(argument, path, subject && { ...subject, isCompared: false });
  const { by } = (name === "$sorted" ? Object(argument) : {}) as { by?: string };
  const message = subject && by && unknownPath(subject.answer, [...subject.keys, "0", ...by.split(".")]);
  return message ? [{ path: [...path, "by"], message }] : [];
}

const hasReference = (value: unknown) => textsIn(value).some(([text]) => text.replaceAll("$${", "").includes("${"));

const expectsAbsence = (expected: unknown): boolean =>
  /"\$exists":(?!true)|"\$not":\{"\$exists":true/.test(JSON.stringify(expected));

function operationOf({ request }: Step): Endpoint | undefined {
  const [method, target = ""] = request.split(" ");
  return method === "OPTIONS" ? undefined : endpointAt(target.split("?", 1)[0]!);
}

/** The fields that `${step.…}` may name, of envelopes and all answers; undefined (any) for pages and unknown paths. */
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
export function unknownPath(answer: z.ZodObject | undefined, path: readonly string[]): string | undefined {
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
