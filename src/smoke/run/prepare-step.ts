import { checkExpectation } from "../file/check-expectation.ts";
import type { WireRequest } from "../../client/transport.ts";
import type { SmokeAnswer } from "./smoke-result.ts";
import type { Row, SmokeContent, Step } from "../file/smoke-file.ts";
import {
  castValue,
  envValue,
  referencesIn,
  resolveAll,
  UnresolvedError,
  valueAt,
  type Env,
  type Reference,
  type RunValues,
} from "../file/references.ts";
import { isMoment, MOMENT } from "./moment.ts";
import { generateBody } from "./request-body.ts";

/** The values that references resolve to. */
export interface Scope {
  readonly env: Env;
  readonly run: RunValues;
  /** Answers of earlier steps, by their ids. */
  readonly answers: ReadonlyMap<string, SmokeAnswer>;
  /** As written in the file: their values may be references. */
  readonly vars?: Row | undefined;
  readonly row?: Row | undefined;
}

/** A step with nothing left to resolve. */
export interface PreparedStep {
  readonly request: WireRequest;
  readonly expect: NonNullable<Step["expect"]>;
  /** Name of the shell variable for the token. */
  readonly tokenName: string;
  /** Values that reports must not show. */
  readonly secrets: readonly string[];
  /** What the daemon's clock is set to before the request, as `+1d`. */
  readonly moment: string | undefined;
}

/**
 * Resolves a step's references and puts its request together.
 *
 * @throws UnresolvedError for a reference without a value, or with a value that a matcher does not accept
 */
export function prepareStep(
  step: Step,
  defaults: SmokeContent["defaults"],
  baseUrl: string,
  scope: Scope,
): PreparedStep {
  const secrets: string[] = [];
  const lookUp = (reference: Reference): unknown => {
    const value = castValue(reference, valueOf(reference, scope, lookUp));
    if (reference.head === "env" && /token|secret|key|password/i.test(reference.path[0]!)) secrets.push(String(value));
    return value;
  };
  const resolve = (value: unknown): unknown => resolveAll(value, lookUp);

  const written = step.token === undefined ? defaults?.token : step.token;
  const token = written === undefined || written === null ? undefined : String(resolve(written));
  if (token !== undefined) secrets.push(token);
  const [, method = "", target = ""] = /^(\S+) (.*)$/s.exec(String(resolve(step.request))) ?? [];
  const url = new URL(baseUrl.replace(/\/$/, "") + target);
  for (const [name, value] of Object.entries(resolve(step.query ?? {}) as object)) {
    for (const one of [value].flat() as unknown[]) url.searchParams.append(name, String(one));
  }
  const json = step.body === undefined ? undefined : JSON.stringify(generateBody(resolve(step.body)));
  const body = step.raw === undefined ? json : String(resolve(step.raw));
  const headers = headersOf([
    ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ...(token === undefined ? [] : [["x-user-token", token] as const]),
    ...(Object.entries(resolve({ ...defaults?.headers }) as object) as [string, unknown][]),
    ...(Object.entries(resolve({ ...step.headers }) as object) as [string, unknown][]),
  ]);
  const expect = resolve(step.expect ?? {}) as PreparedStep["expect"];
  const moment = step.now && String(resolve(step.now));
  checkResolved(step, expect, moment);
  return { request: { method, url: url.href, headers, body }, expect, tokenName: nameOf(written), secrets, moment };
}

function valueOf(reference: Reference, scope: Scope, lookUp: (reference: Reference) => unknown): unknown {
  const { head, path } = reference;
  const { env, run, answers } = scope;
  if (head === "env") return envValue(reference, env);
  if (head === "run") {
    const [name, user = ""] = path;
    const value = name === "tokens" ? run.tokens?.[user] : name === "id" ? run.id : run.token;
    if (name === "tokens" && value === undefined) {
      throw new UnresolvedError(reference, `has no value: ${user} is not a user of the file's own daemon.`);
    }
    if (value === undefined) throw new UnresolvedError(reference, "has no value; set --token or ANP_TOKEN.");
    return value;
  }
  if (head === "vars" || head === "row") {
    const [name, ...rest] = path;
    const values = scope[head] ?? {};
    // The value itself may be a reference.
    const value = name === undefined ? values : valueAt(values, { ...reference, path: [name] }, head);
    return valueAt(resolveAll(value, lookUp), { ...reference, path: rest }, `${head}.${name}`);
  }
  const answer = answers.get(head);
  if (answer === undefined) throw new UnresolvedError(reference, `cannot be resolved: ${head} got no answer.`);
  const named = path[0] === "headers" ? path.map((name) => name.toLowerCase()) : path;
  return valueAt(fieldsOf(answer), { ...reference, path: named }, `the answer of ${head}`);
}

/** The fields of an answer that references can name: the envelope's, status, headers, text and body; all of `at_once`. */
function fieldsOf({ status, headers, text, body, all }: SmokeAnswer): object {
  const fields = typeof body === "object" && body !== null ? body : {};
  return { ...fields, status, headers, text, body, ...(all !== undefined && { all: all.map(fieldsOf) }) };
}

function checkResolved(step: Step, expect: object, moment: string | undefined): void {
  if (moment !== undefined && !isMoment(moment)) {
    throw new UnresolvedError(referencesIn(step.now!)[0]!, `does not fit: now ${MOMENT}.`);
  }
  for (const [key, expected] of Object.entries(expect)) {
    const [error] = checkExpectation(expected, [key]);
    const [reference] = error === undefined ? [] : referencesIn(JSON.stringify(step.expect));
    if (error !== undefined && reference !== undefined) {
      throw new UnresolvedError(reference, `does not fit: at ${error.path.join(".")}, ${error.message}`);
    }
  }
}

/** Of several headers with one name the last counts; null removes the header. */
function headersOf(given: readonly (readonly [string, unknown])[]): Record<string, string> {
  const last = new Map(given.map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    [...last].filter(([, value]) => value !== null).map(([name, value]) => [name, String(value)]),
  );
}

function nameOf(token: string | null | undefined): string {
  return /^\$\{env\.(\w+)(:-.*)?\}$/.exec(token ?? "")?.[1] ?? "TOKEN";
}
