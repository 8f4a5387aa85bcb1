import { z } from "zod";
import { endpointAt, ENDPOINTS } from "../../contract/endpoints.ts";
import type { InvalidField, ValuePath } from "../../contract/validation/validate-value.ts";
import { checkFaults, readFault } from "../../faults/fault-catalogue.ts";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import { answerOf, checkExpectation, checkOperation, unknownPath } from "./check-step.ts";
import { configValues } from "./config-values.ts";
import { listOf, MAX_AT_ONCE, rowsOf, stepsOf, type Row, type SmokeContent, type Step } from "./smoke-file.ts";
import { textsIn, isReserved, refuse, resolveAll, MIN_SECRET, UNKNOWN, UnresolvedError } from "./resolve-references.ts";
import type { Env, Scope } from "./resolve-references.ts";
import { checkBody } from "../run/generated-body.ts";

/** The checks beyond the schema: ids, references, matchers, endpoints, faults and configuration keys. */
export function checkContent(content: SmokeContent, env: Env): InvalidField[] {
  const before: Answers = new Map();
  const placed = stepsOf(content);
  const ids = placed.flatMap(({ step }) => step.id ?? []);
  const { faults = [], config = {}, secrets = [], vars, defaults } = content;
  const errors = [...checkFaultList(faults), ...configValues(config).flatMap(([, , error]) => error ?? [])];
  for (const [index, name] of secrets.entries()) {
    if (env[name] === undefined || env[name].length >= MIN_SECRET) continue;
    const message = `secrets[${index}]: ${name} has fewer than ${MIN_SECRET} characters: masking it would garble a report.`;
    errors.push({ path: ["secrets", index], message });
  }
  const early: Scope = { env, vars, run: UNKNOWN, answer: schemaAnswer(undefined, ids, vars) };
  const later = { ...early, answer: schemaAnswer(before, ids, vars) };
  for (const { phase, index, step } of placed) {
    const path = [phase, index];
    const { id, rows, ...used } = step;
    errors.push(...checkStep(step, path));
    errors.push(...checkReferences(used, path, later, rowsOf(content, { phase, index, step })));
    errors.push(...checkReferences(rows, [...path, "rows"], later));
    if (id === undefined) continue;
    const refuse = (message: string) => errors.push({ path: [...path, "id"], message });
    if (before.has(id)) refuse(`another step has the id ${id}.`);
    if (isReserved(id)) refuse(`${id} cannot be the id of a step: \${${id}.…} has another meaning.`);
    before.set(id, answerOf(step));
  }
  return [
    ...errors,
    ...checkReferences({ config }, [], { ...early, vars: null, run: undefined }),
    ...checkReferences({ vars }, [], { ...early, vars: null }),
    ...checkReferences(content.rows, ["rows"], early),
    ...checkReferences(defaults, ["defaults"], early, listOf(content.rows)),
  ];
}

type Answers = Map<string, ReturnType<typeof answerOf>>; // The schemas of the answers of steps, by their ids.

/** Checks paths of answers by the schemas of earlier steps; `before` is undefined if there are none, as in `vars`. */
const schemaAnswer =
  (before: Answers | undefined, ids: readonly string[], vars: SmokeContent["vars"]): Scope["answer"] =>
  (reference, path) => {
    const { head } = reference;
    const unknown = before?.has(head) ? unknownPath(before.get(head), path) : undefined;
    if (before?.has(head)) return unknown === undefined ? UNKNOWN : refuse(reference, `cannot be resolved: ${unknown}`);
    if (ids.includes(head) && before === undefined) refuse(reference, "cannot be used here: no step has run by then.");
    if (ids.includes(head)) refuse(reference, `refers to a later step: ${head} has not run by then.`);
    const isVariable = Object.hasOwn(vars ?? {}, head);
    const hint = isVariable ? ` Did you mean \${vars.${head}}?` : didYouMean(head, before?.keys() ?? []);
    return refuse(reference, `refers to no step: no earlier step has the id ${head}.${hint}`);
  };

function checkStep(step: Step, path: ValuePath): InvalidField[] {
  const { body, raw, at_once, rows, expect = {} } = step;
  const { counts, status, code, snapshot } = expect;
  const errors = [...checkBody(body, [...path, "body"]), ...checkOperation(step, path)];
  const refuse = (key: ValuePath, message: string, of: "key" | "value" = "key") =>
    errors.push({ path: [...path, ...key], of, message });
  const refused = endpointError(step);
  if (refused !== undefined) refuse(["request"], refused, "value");
  if (body !== undefined && raw !== undefined) refuse(["raw"], "body and raw exclude each other.");
  const isSent = body !== undefined || raw !== undefined;
  if (isSent && /^(GET|HEAD) /.test(step.request)) refuse(["request"], "a GET or HEAD request has no body.", "value");
  if (snapshot !== undefined && at_once !== undefined) refuse(["expect", "snapshot"], "snapshot excludes at_once.");
  if (snapshot === true && step.id === undefined) refuse(["expect", "snapshot"], "snapshot true needs the step's id.");
  if (at_once !== undefined && step.retry !== undefined) refuse(["retry"], "at_once and retry exclude each other.");
  const fits = rows !== undefined && rows.length <= MAX_AT_ONCE;
  if (at_once === "rows" && !fits) refuse(["at_once"], `at_once: rows needs 1 to ${MAX_AT_ONCE} rows of the step.`);
  if (counts !== undefined && (at_once === undefined || status !== undefined || code !== undefined))
    refuse(["expect", "counts"], "counts goes with at_once, and without status and code.");
  for (const key of Object.keys(counts ?? {}).filter((name) => !/^\d{1,4}$/.test(name)))
    refuse(["expect", "counts", key], `counts.${key} is not a status or a code.`);
  const answer = answerOf(step) ?? z.object({ status: z.int(), code: z.int() });
  for (const [key, expected] of Object.entries(expect)) {
    const subject = key in answer.shape && key !== "headers" ? { answer, keys: [key] } : undefined;
    errors.push(...checkExpectation(expected, [...path, "expect", key], subject));
  }
  return errors;
}

function endpointError({ request, expect = {} }: Step): string | undefined {
  const [method = "", target = ""] = request.split(" ");
  const [pathname = ""] = target.split("?");
  if (!pathname.startsWith("/api/") || pathname.includes("${")) return undefined;
  if ([404, 405].some((code) => expect.status === code || expect.code === code)) return undefined;
  const endpoint = endpointAt(pathname);
  if (endpoint === undefined) {
    const known = Object.values(ENDPOINTS).map(({ path }) => path);
    const hint = didYouMean(pathname, known) || ` Known paths: ${known.join(", ")}.`;
    return `the API has no ${pathname}.${hint} To test that it is refused, expect status 404.`;
  }
  if (method === endpoint.method || method === "HEAD") return undefined;
  return `${pathname} takes ${endpoint.method}, not ${method}. To test that it is refused, expect status 405.`;
}

function checkReferences(value: unknown, path: ValuePath, scope: Scope, rows: readonly Row[] = []): InvalidField[] {
  const scopes = rows.map((row, index): Scope => ({ ...scope, row, rowName: `row ${index + 1}` }));
  return textsIn(value, path).flatMap(([text, place]) => {
    const isSent = place.some((key) => key === "headers" || key === "token" || key === "request");
    const foreign = place.at(-1) === "raw" ? undefined : foreignReference(text, isSent, scope.vars, rows[0]);
    if (foreign !== undefined) return [{ path: place, message: foreign }];
    for (const one of text.includes("row.") && rows.length > 0 ? scopes : [scope]) {
      const errors = errorsOf(() => resolveAll(text, one), place);
      if (errors.length > 0) return errors;
    }
    return [];
  });
}

/** `{{name}}` and `$NAME` are references in other tools: if they are the whole text, in a header, or name a variable. */
function foreignReference(text: string, isSent: boolean, vars: Row | null | undefined, row: Row | undefined) {
  const [, shell] = /^\$([A-Z_][A-Z0-9_]*)$/.exec(text) ?? [];
  const [written = text, name = shell] = /\{\{ *([\w-]+) *\}\}/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const head = Object.hasOwn(row ?? {}, name) ? "row" : Object.hasOwn(vars ?? {}, name) ? "vars" : undefined;
  if (head === undefined && written !== text && !isSent) return undefined;
  return `${written} is not a reference: write \${${head ?? "env"}.${name}}.`;
}

function checkFaultList(texts: readonly string[]): InvalidField[] {
  const errors = texts.flatMap((text, index) => {
    const path = ["faults", index];
    if (!/^(times|ms)=/.test(text)) return errorsOf(() => readFault(text), path, `faults[${index}]`);
    return [{ path, message: `faults[${index}]: quote a fault with options: ["${texts[index - 1]},${text}"].` }];
  });
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
