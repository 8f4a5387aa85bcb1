import { checkExpectation } from "../file/check-step.ts";
import type { SmokeAnswer } from "./smoke-result.ts";
import type { SmokeContent, Step } from "../file/smoke-file.ts";
import { referencesIn, refuse, resolveAll, valueAt, type Scope } from "../file/resolve-references.ts";
import { isInstantText, INSTANT_RULE } from "./instant-text.ts";
import { generateBody } from "./generated-body.ts";

/** A step with nothing left to resolve. */
export type PreparedStep = ReturnType<typeof prepareStep>;

/** Resolves a step's references and puts its request together.
 * @throws UnresolvedError for a reference without a value, or with a value that a matcher does not accept */
export function prepareStep(step: Step, defaults: SmokeContent["defaults"], baseUrl: string, scope: Scope) {
  const resolve = (value: unknown): unknown => resolveAll(value, scope);
  const written = step.token === undefined ? defaults?.token : step.token;
  const [, tokenName = "TOKEN"] = /^\$\{env\.(\w+)(:-.*)?\}$/.exec(written ?? "") ?? [];
  const token = written === undefined || written === null ? undefined : String(resolve(written));
  const [, method = "", target = ""] = /^(\S+) (.*)$/s.exec(String(resolve(step.request))) ?? [];
  const url = new URL(baseUrl.replace(/\/$/, "") + target);
  for (const [name, value] of Object.entries(resolve(step.query ?? {}) as object))
    for (const one of [value].flat() as unknown[]) url.searchParams.append(name, String(one));
  const json = step.body === undefined ? undefined : JSON.stringify(generateBody(resolve(step.body)));
  const body = step.raw === undefined ? json : String(resolve(step.raw));
  const type = body !== undefined && { "content-type": "application/json" };
  const own = { ...type, ...(token !== undefined && { "x-user-token": token }) };
  const headers = headersOf([own, resolve({ ...defaults?.headers }), resolve({ ...step.headers })]);
  const expect = resolve(step.expect ?? {}) as NonNullable<Step["expect"]>;
  const moment = step.now && String(resolve(step.now));
  checkResolved(step, expect, moment);
  return { request: { method, url: url.href, headers, body }, expect, tokenName, token, moment };
}

/** The values of references to the answers of earlier steps, by their ids. */
export function answersOf(answers: ReadonlyMap<string, SmokeAnswer>): Scope["answer"] {
  return (reference, path) => {
    const answer = answers.get(reference.head);
    if (answer === undefined) return refuse(reference, `cannot be resolved: ${reference.head} got no answer.`);
    const named = path[0] === "headers" ? path.map((name) => name.toLowerCase()) : path;
    return valueAt(fieldsOf(answer), named, reference, `the answer of ${reference.head}`);
  };
}

/** The fields of an answer that references can name: the envelope's, status, headers, text and body; all of `at_once`. */
function fieldsOf({ status, headers, text, body, all }: SmokeAnswer): object {
  return { ...(typeof body === "object" && body), status, headers, text, body, ...(all && { all: all.map(fieldsOf) }) };
}

function checkResolved(step: Step, expect: object, moment: string | undefined): void {
  if (moment !== undefined && !isInstantText(moment))
    refuse(referencesIn(step.now!)[0]!, `does not fit: now ${INSTANT_RULE}.`);
  const [reference] = referencesIn(step.expect);
  for (const [key, expected] of Object.entries(expect)) {
    const [error] = checkExpectation(expected, [key]);
    if (error !== undefined && reference !== undefined)
      refuse(reference, `does not fit: at ${error.path.join(".")}, ${error.message}`);
  }
}

/** Of several headers with one name the last counts; null removes the header. */
function headersOf(given: readonly unknown[]): Record<string, string> {
  const all = given.flatMap((some): [string, unknown][] => Object.entries(some as object));
  const last = new Map(all.map(([name, value]) => [name.toLowerCase(), value]));
  const kept = [...last].filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
