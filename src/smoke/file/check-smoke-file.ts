import { ENDPOINTS } from "../../contract/endpoints.ts";
import { operationAt } from "../../contract/check-response.ts";
import type { InvalidField, ValuePath } from "../../contract/validate.ts";
import { checkFaults, readFault } from "../../faults/fault-catalogue.ts";
import { didYouMean, closestMatch } from "../../runtime/did-you-mean.ts";
import { checkExpectation } from "./check-expectation.ts";
import { configValues } from "./config-values.ts";
import { answerOf, checkExpectedFields, unknownIn } from "./check-field-names.ts";
import { listOf, rowsOf, stepsOf, type Row, type SmokeContent, type Step } from "./smoke-file.ts";
import {
  castValue,
  envValue,
  referencesIn,
  textsIn,
  UnresolvedError,
  valueAt,
  type Env,
  type Reference,
  type RunValues,
} from "./references.ts";
import { checkBody } from "../run/request-body.ts";

/** First segments of references that do not name steps. */
const RESERVED = ["env", "run", "vars", "row"] as const;

/** What references may name. */
interface Known {
  /** The schemas of the answers by then, by the ids of their steps; undefined where no step has run, as in `vars`. */
  readonly before?: ReadonlyMap<string, ReturnType<typeof answerOf>>;
  readonly all: readonly string[];
  readonly env: Env;
  readonly vars?: Row | undefined;
  readonly rows?: readonly Row[];
}

/** The checks beyond the schema: ids, references, matchers, endpoints, faults and configuration keys. */
export function checkContent(content: SmokeContent, env: Env): InvalidField[] {
  const before = new Map<string, ReturnType<typeof answerOf>>();
  const placed = stepsOf(content);
  const all = placed.flatMap(({ step }) => step.id ?? []);
  const { faults = [], config = {}, vars = {}, defaults } = content;
  const errors = [...checkFaultList(faults), ...configValues(config).errors];
  for (const { phase, index, step } of placed) {
    const path = [phase, index];
    const { rows, ...used } = step;
    const known = { before, all, env, vars, rows: rowsOf(content, { phase, index, step }) };
    errors.push(...checkStep(step, path), ...checkReferences(used, path, known));
    errors.push(...checkReferences(rows, [...path, "rows"], { ...known, rows: [] }));
    const { id } = step;
    if (id === undefined) continue;
    const refuse = (message: string) => errors.push({ path: [...path, "id"], message });
    if (before.has(id)) refuse(`another step has the id ${id}.`);
    if (RESERVED.some((name) => name === id)) {
      refuse(`${id} cannot be the id of a step: \${${id}.…} has another meaning.`);
    }
    before.set(id, answerOf(step));
  }
  return [
    ...errors,
    ...checkReferences({ config, vars }, [], { all, env }),
    ...checkReferences(content.rows, ["rows"], { all, env, vars }),
    ...checkReferences(defaults, ["defaults"], { all, env, vars, rows: listOf(content.rows) }),
  ];
}

function checkStep(step: Step, path: ValuePath): InvalidField[] {
  const { body, raw, at_once, expect = {} } = step;
  const { counts, status, code, snapshot } = expect;
  const errors = [...checkBody(body, [...path, "body"]), ...checkExpectedFields(step, path)];
  const refuse = (key: ValuePath, message: string, of: "key" | "value" = "key"): void => {
    errors.push({ path: [...path, ...key], of, message });
  };
  const refused = endpointError(step);
  if (refused !== undefined) refuse(["request"], refused, "value");
  if (body !== undefined && raw !== undefined) refuse(["raw"], "body and raw exclude each other.");
  if (/^(GET|HEAD) /.test(step.request) && (body !== undefined || raw !== undefined)) {
    refuse(["request"], "a GET or HEAD request has no body.", "value");
  }
  if (snapshot !== undefined && at_once !== undefined) refuse(["expect", "snapshot"], "snapshot excludes at_once.");
  if (snapshot === true && step.id === undefined) refuse(["expect", "snapshot"], "snapshot true needs the step's id.");
  if (at_once !== undefined && step.retry !== undefined) refuse(["retry"], "at_once and retry exclude each other.");
  if (counts !== undefined && (at_once === undefined || status !== undefined || code !== undefined)) {
    refuse(["expect", "counts"], "counts goes with at_once, and without status and code.");
  }
  for (const key of Object.keys(counts ?? {}).filter((name) => !/^\d{1,4}$/.test(name))) {
    refuse(["expect", "counts", key], `counts.${key} is not a status or a code.`);
  }
  for (const [key, expected] of Object.entries(expect)) {
    errors.push(...checkExpectation(expected, [...path, "expect", key]));
  }
  return errors;
}

/** A path below /api/ that the contract does not have is an error, unless the step expects a 404 or 405. */
function endpointError({ request, expect = {} }: Step): string | undefined {
  const [method = "", target = ""] = request.split(" ");
  const [pathname = ""] = target.split("?");
  if (!pathname.startsWith("/api/") || pathname.includes("${")) return undefined;
  if ([404, 405].some((code) => expect.status === code || expect.code === code)) return undefined;
  const id = operationAt(pathname);
  if (id === undefined) {
    const known = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
    const hint = didYouMean(pathname, known) || ` Known paths: ${known.join(", ")}.`;
    return `the API has no ${pathname}.${hint} To test that it is refused, expect status 404.`;
  }
  const endpoint = ENDPOINTS[id];
  if (method === endpoint.method || method === "HEAD") return undefined;
  return `${pathname} takes ${endpoint.method}, not ${method}. To test that it is refused, expect status 405.`;
}

function checkReferences(value: unknown, path: ValuePath, known: Known): InvalidField[] {
  return textsIn(value, path).flatMap(([text, place]) => {
    const errors: InvalidField[] = [];
    const malformed = errorsOf(() => {
      for (const one of referencesIn(text)) errors.push(...errorsOf(() => checkReference(one, known), place));
    }, place);
    return [...errors, ...malformed];
  });
}

/**
 * Checks a reference as far as that can be done before the run.
 *
 * @throws UnresolvedError
 */
function checkReference(reference: Reference, known: Known): unknown {
  const { head, path } = reference;
  const refuse = (reason: string): never => {
    throw new UnresolvedError(reference, reason);
  };
  const [name = ""] = path;
  if (head === "env") {
    if (path.length !== 1) refuse("does not name an environment variable: write ${env.NAME}.");
    const value = envValue(reference, known.env);
    const near = Object.keys(known.env).filter((key) => closestMatch(name, [key]) !== undefined);
    if (value === undefined) refuse(`is not set.${didYouMean(name, near)}`);
    castValue(reference, value);
  } else if (head === "run") {
    const values = { id: 1, token: 1, tokens: 2 } satisfies Record<keyof RunValues, number>;
    if (Object.hasOwn(values, name) && path.length === values[name as keyof RunValues]) return;
    refuse("is not a value of the run. Known values: ${run.id}, ${run.token}, ${run.tokens.USER}.");
  } else if (head === "vars" || head === "row") {
    const roots = head === "row" ? (known.rows ?? []) : known.vars === undefined ? [] : [known.vars];
    if (roots.length === 0) refuse(head === "row" ? "needs `rows`." : "cannot be used here.");
    for (const [index, root] of roots.entries())
      checkValue(reference, root, head === "row" ? `row ${index + 1}` : head);
  } else if (!known.before?.has(head)) {
    if (known.before === undefined && known.all.includes(head)) refuse("cannot be used here: no step has run by then.");
    if (known.all.includes(head)) refuse(`refers to a later step: ${head} has not run by then.`);
    refuse(`refers to no step: no earlier step has the id ${head}.${didYouMean(head, known.before?.keys() ?? [])}`);
  } else {
    const unknown = unknownIn(known.before.get(head), path);
    if (unknown !== undefined) refuse(`cannot be resolved: ${unknown}`);
  }
}

/** A value that is itself a reference has fields that are not known before the run. */
function checkValue(reference: Reference, root: Row, what: string): void {
  const value = valueAt(root, { ...reference, path: reference.path.slice(0, 1) }, what);
  if (reference.path.length === 1 && !String(value).includes("${")) castValue(reference, value);
}

function checkFaultList(texts: readonly string[]): InvalidField[] {
  const errors = texts.flatMap((text, index) => errorsOf(() => readFault(text), ["faults", index], `faults[${index}]`));
  return errors.length > 0 ? errors : errorsOf(() => checkFaults(texts.map(readFault)), ["faults"], "faults");
}

function errorsOf(read: () => unknown, path: ValuePath, name = ""): InvalidField[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof UnresolvedError)) throw error;
    return [{ path, message: `${name} ${error.message}${/[.?]$/.test(error.message) ? "" : "."}`.trim() }];
  }
}
