import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeType } from "../../runtime/text/describe-value.ts";
import { replaceFile } from "../../storage/fs/durable-files.ts";
import { mapItems } from "../../runtime/json/json-values.ts";
import { compare } from "./matchers.ts";
import type { SmokeFile } from "../file/read-smoke-file.ts";
import type { Case } from "./plan-cases.ts";
import type { Problem, SmokeAnswer } from "./smoke-result.ts";

/** Compares the body of an answer with the step's snapshot, a file beside the smoke file, or writes it. Masked fields
 * count by type: a name at any depth, or a path as `data.items.id`. @param problems the other problems of the answer */
export async function checkSnapshot(
  { step: { id, expect: { snapshot, mask = [] } = {} }, number }: Case,
  { path: smokeFile, content: { defaults } }: SmokeFile,
  { cwd = "", update = false }: { readonly cwd?: string; readonly update?: boolean },
  { answer, problems }: { readonly answer?: SmokeAnswer | undefined; readonly problems: readonly Problem[] },
): Promise<readonly Problem[]> {
  if (snapshot === undefined || answer === undefined) return [];
  // A wrong answer must not become the snapshot, and the body of another status has other fields.
  if (problems.length > 0 && (update || problems.some(({ path }) => /^(status|code)$/.test(path)))) return [];
  const base = resolve(cwd, smokeFile).replace(/\.ya?ml$/i, "");
  const file = `${base}.${snapshot === true ? id! : snapshot}${number && `.${number}`}.snapshot.json`;
  const actual = masked(answer.body ?? answer.text, new Set(["request_id", ...(defaults?.mask ?? []), ...mask]), []);
  if (update) {
    await replaceFile(file, `${JSON.stringify(actual, null, 2)}\n`);
    return [];
  }
  try {
    const stored: unknown = JSON.parse(await readFile(file, "utf8"));
    return compare(stored, actual, "", "exact").map((problem) => ({ ...problem, path: problem.path || "body" }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? `${file} does not exist` : `${file}: ${message}`;
    return [{ about: "expectation", path: "snapshot", message: `${reason}; --update writes it` }];
  }
}

const masked = (value: unknown, fields: ReadonlySet<string>, path: readonly string[]): unknown =>
  mapItems(value, (item, key) => {
    if (typeof key === "number") return masked(item, fields, path);
    const at = [...path, key];
    return fields.has(key) || fields.has(at.join(".")) ? `<${describeType(item)}>` : masked(item, fields, at);
  });
