import { ENDPOINTS } from "../../contract/endpoints.ts";
import { operationAt } from "../../contract/check-response.ts";
import type { InvalidField, ValuePath } from "../../contract/validate.ts";
import { checkFaults, readFault } from "../../faults/fault-catalogue.ts";
import { didYouMean, closestMatch } from "../../runtime/did-you-mean.ts";
import { checkExpectation } from "./check-expectation.ts";
import { configValues } from "./config-values.ts";
import type { SmokeContent, Step } from "./smoke-file.ts";
import { referencesIn, textsIn, type Reference, type RunValues } from "./references.ts";
import { checkBody } from "../run/request-body.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** First segments of references that do not name steps. */
const RESERVED = ["env", "run"] as const;

/** What references may name. */
interface Known {
  /** The steps that have run by then. */
  readonly before: ReadonlySet<string>;
  readonly all: readonly string[];
  readonly env: Env;
}

/** The checks beyond the schema: ids, references, matchers, endpoints, faults and configuration keys. */
export function checkContent(content: SmokeContent, env: Env): InvalidField[] {
  const errors: InvalidField[] = [];
  const ids = new Set<string>();
  const all = content.steps.concat(content.cleanup ?? []).flatMap(({ id }) => id ?? []);
  errors.push(...checkFaultList(content.faults ?? []), ...configValues(content.config ?? {}).errors);
  for (const phase of ["steps", "cleanup"] as const) {
    for (const [index, step] of (content[phase] ?? []).entries()) {
      const path = [phase, index];
      errors.push(...checkStep(step, path), ...checkReferences(step, path, { before: ids, all, env }));
      const { id } = step;
      if (id === undefined) continue;
      const refuse = (message: string) => errors.push({ path: [...path, "id"], message });
      if (ids.has(id)) refuse(`another step has the id ${id}.`);
      if (RESERVED.some((name) => name === id)) {
        refuse(`${id} cannot be the id of a step: \${${id}.…} has another meaning.`);
      }
      ids.add(id);
    }
  }
  for (const key of ["config", "defaults"] as const) {
    errors.push(...checkReferences(content[key], [key], { before: new Set(), all, env }));
  }
  return errors;
}

function checkStep(step: Step, path: ValuePath): InvalidField[] {
  const errors: InvalidField[] = [];
  const request = [...path, "request"];
  const refused = endpointError(step);
  if (refused !== undefined) errors.push({ path: request, message: refused });
  if (step.body !== undefined && step.raw !== undefined) {
    errors.push({ path: [...path, "raw"], of: "key", message: "body and raw exclude each other." });
  }
  if (/^(GET|HEAD) /.test(step.request) && (step.body !== undefined || step.raw !== undefined)) {
    errors.push({ path: request, message: "a GET or HEAD request has no body." });
  }
  const { counts, status, code, snapshot } = step.expect ?? {};
  if (snapshot !== undefined && (step.at_once !== undefined || (snapshot === true && step.id === undefined))) {
    const message = step.at_once === undefined ? "true needs the step's id." : "excludes at_once.";
    errors.push({ path: [...path, "expect", "snapshot"], of: "key", message: `snapshot ${message}` });
  }
  if (step.at_once !== undefined && step.retry !== undefined) {
    errors.push({ path: [...path, "retry"], of: "key", message: "at_once and retry exclude each other." });
  }
  if (counts !== undefined && (step.at_once === undefined || status !== undefined || code !== undefined)) {
    const message = "counts goes with at_once, and without status and code.";
    errors.push({ path: [...path, "expect", "counts"], of: "key", message });
  }
  for (const key of Object.keys(counts ?? {}).filter((name) => !/^\d{1,4}$/.test(name))) {
    const message = `counts.${key} is not a status or a code.`;
    errors.push({ path: [...path, "expect", "counts", key], of: "key", message });
  }
  errors.push(...checkBody(step.body, [...path, "body"]));
  for (const [key, expected] of Object.entries(step.expect ?? {})) {
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
  return [...textsIn(value, path)].flatMap(([text, place]) => {
    try {
      return referencesIn(text).flatMap((reference) => {
        const message = errorOf(reference, known);
        return message === undefined ? [] : [{ path: place, message: `${reference.text} ${message}` }];
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ path: place, message: error.message }];
    }
  });
}

/** What is wrong with a reference, as far as that is known before the run. */
function errorOf({ head, path, fallback }: Reference, { before, all, env }: Known): string | undefined {
  const [name = ""] = path;
  if (head === "env") {
    if (path.length !== 1) return "does not name an environment variable: write ${env.NAME}.";
    if ((env[name] ?? "") !== "" || fallback !== undefined) return undefined;
    const near = Object.keys(env).filter((key) => closestMatch(name, [key]) !== undefined);
    return `is not set.${didYouMean(name, near)}`;
  }
  if (head === "run") {
    const known: (keyof RunValues)[] = ["id", "token"];
    if (path.length === 1 && known.some((one) => one === name)) return undefined;
    return `is not a value of the run. Known values: ${known.map((key) => `\${run.${key}}`).join(", ")}.`;
  }
  if (before.has(head)) return undefined;
  if (all.includes(head)) return `refers to a later step: ${head} has not run by then.`;
  return `refers to no step: no earlier step has the id ${head}.${didYouMean(head, before)}`;
}

function checkFaultList(texts: readonly string[]): InvalidField[] {
  const errors = texts.flatMap((text, index) => errorsOf(() => readFault(text), ["faults", index], `faults[${index}]`));
  return errors.length > 0 ? errors : errorsOf(() => checkFaults(texts.map(readFault)), ["faults"], "faults");
}

function errorsOf(read: () => unknown, path: ValuePath, name: string): InvalidField[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ path, message: `${name} ${error.message}${/[.?]$/.test(error.message) ? "" : "."}` }];
  }
}
