import { ENDPOINTS } from "../../contract/endpoints.ts";
import { operationAt } from "../../contract/check-response.ts";
import { checkFaults, readFault } from "../../faults/fault-catalogue.ts";
import { didYouMean, nearest } from "../../runtime/did-you-mean.ts";
import { checkExpectation } from "./check-expectation.ts";
import { configValues } from "./config-values.ts";
import type { SmokeContent, Step } from "./smoke-file.ts";
import type { FileIssue, Path } from "./file-issue.ts";
import { referencesIn, textsIn, type Reference } from "./references.ts";
import { checkBody } from "../run/request-body.ts";
import { RUN_VALUES } from "../run/run-values.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Heads of references that are no steps. */
const RESERVED = ["env", "run"] as const;

/** What no schema can tell: names that are used, references, matchers, endpoints and faults. */
export function checkMeaning(content: SmokeContent, env: Env): FileIssue[] {
  const flaws: FileIssue[] = [];
  const ids = new Set<string>();
  const all = content.steps.concat(content.cleanup ?? []).flatMap(({ id }) => id ?? []);
  flaws.push(...checkFaultTexts(content.faults ?? []), ...configValues(content.config ?? {}).flaws);
  for (const phase of ["steps", "cleanup"] as const) {
    for (const [index, step] of (content[phase] ?? []).entries()) {
      const path = [phase, index];
      flaws.push(...checkStep(step, path), ...checkTexts(step, path, ids, all, env));
      const { id } = step;
      if (id === undefined) continue;
      if (ids.has(id)) flaws.push({ path: [...path, "id"], message: `there is a step called ${id} already.` });
      if (RESERVED.some((name) => name === id)) {
        flaws.push({
          path: [...path, "id"],
          message: `no step can be called ${id}: \${${id}.…} means something else.`,
        });
      }
      ids.add(id);
    }
  }
  flaws.push(...checkTexts(content.config, ["config"], new Set(), all, env));
  flaws.push(...checkTexts(content.defaults, ["defaults"], new Set(), all, env));
  return flaws;
}

function checkStep(step: Step, path: Path): FileIssue[] {
  const flaws: FileIssue[] = [...checkEndpoint(step, path)];
  if (step.body !== undefined && step.raw !== undefined) {
    flaws.push({ path: [...path, "raw"], of: "key", message: "body and raw exclude each other." });
  }
  if (/^(GET|HEAD) /.test(step.request) && (step.body !== undefined || step.raw !== undefined)) {
    flaws.push({ path: [...path, "request"], message: "a GET or HEAD has no body." });
  }
  flaws.push(...checkBody(step.body, [...path, "body"]));
  for (const [key, expected] of Object.entries(step.expect ?? {})) {
    flaws.push(...checkExpectation(expected, [...path, "expect", key]));
  }
  return flaws;
}

/** A path that is nearly one of the interface is a slip, unless the step wants to see that it is refused. */
function checkEndpoint({ request, expect = {} }: Step, path: Path): FileIssue[] {
  const [method = "", target = ""] = request.split(" ");
  const [asked = ""] = target.split("?");
  const place = [...path, "request"];
  if (!asked.startsWith("/api/") || asked.includes("${")) return [];
  const wantsRefusal = [404, 405].some((code) => expect.status === code || expect.code === code);
  const id = operationAt(asked);
  if (wantsRefusal) return [];
  if (id === undefined) {
    const known = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
    const hint = didYouMean(asked, known) || ` There are ${known.join(", ")}.`;
    return [{ path: place, message: `the interface has no ${asked}.${hint} To see it refused, expect status 404.` }];
  }
  const endpoint = ENDPOINTS[id];
  if (method === endpoint.method || method === "HEAD") return [];
  return [
    { path: place, message: `${asked} takes ${endpoint.method}, not ${method}. To see it refused, expect status 405.` },
  ];
}

function checkTexts(
  value: unknown,
  path: Path,
  before: ReadonlySet<string>,
  all: readonly string[],
  env: Env,
): FileIssue[] {
  return [...textsIn(value, path)].flatMap(([text, place]) => {
    try {
      return referencesIn(text).flatMap((reference) => {
        const message = faultOf(reference, before, all, env);
        return message === undefined ? [] : [{ path: place, message: `${reference.text} ${message}` }];
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ path: place, message: error.message }];
    }
  });
}

/** What is known to be wrong with a reference before anything was asked. */
function faultOf(
  { head, path, fallback }: Reference,
  before: ReadonlySet<string>,
  all: readonly string[],
  env: Env,
): string | undefined {
  const [name = ""] = path;
  if (head === "env") {
    if (path.length !== 1) return "names no environment variable: write ${env.NAME}.";
    if ((env[name] ?? "") !== "" || fallback !== undefined) return undefined;
    return `is not set.${didYouMean(
      name,
      Object.keys(env).filter((key) => nearest(name, [key]) !== undefined),
    )}`;
  }
  if (head === "run") {
    const known = Object.keys(RUN_VALUES);
    if (path.length === 1 && known.includes(name)) return undefined;
    return `is nothing of a run: there are ${known.map((key) => `\${run.${key}}`).join(" and ")}.`;
  }
  if (before.has(head)) return undefined;
  if (all.includes(head)) return `names a step that has not run by then: ${head} comes later.`;
  return `names no step: no step before has the id ${head}.${didYouMean(head, before)}`;
}

function checkFaultTexts(texts: readonly string[]): FileIssue[] {
  const flaws = texts.flatMap((text, index) => refusalOf(() => readFault(text), ["faults", index], `faults[${index}]`));
  return flaws.length > 0 ? flaws : refusalOf(() => checkFaults(texts.map(readFault)), ["faults"], "faults");
}

function refusalOf(read: () => unknown, path: Path, name: string): FileIssue[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ path, message: `${name} ${error.message}${/[.?]$/.test(error.message) ? "" : "."}` }];
  }
}
