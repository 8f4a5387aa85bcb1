import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describeType } from "../../runtime/text/describe-value.ts";
import { DurableFiles } from "../../storage/fs/durable-files.ts";
import { mapItems } from "../file/json-values.ts";
import { compare } from "./matchers.ts";
import type { Step } from "../file/smoke-file.ts";
import type { Problem, SmokeAnswer } from "./smoke-result.ts";

/** The snapshots of a smoke file: the files beside it that bodies of answers are compared with. */
export interface Snapshots {
  /** What the paths of its snapshots begin with. */
  readonly base: string;
  /** Number of the step's row; empty without rows. */
  readonly row: string;
  readonly update: boolean;
  /** Fields of every snapshot whose values are replaced by their types: a name at any depth, or a path as `data.items.id`. */
  readonly mask: readonly string[];
}

/** Compares the body of an answer with the step's snapshot, if it has one, or writes the snapshot.
 * @param problems what is wrong with the answer otherwise */
export async function checkSnapshot(
  { id, expect: { snapshot, mask = [] } = {} }: Step,
  { base, row, update, mask: always }: Snapshots,
  { body, text }: SmokeAnswer,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  if (snapshot === undefined) return [];
  // A wrong answer is not to become the snapshot, and the body of another status has other fields.
  if (problems.length > 0 && (update || problems.some(({ path }) => /^(status|code)$/.test(path)))) return [];
  const file = `${base}.${snapshot === true ? id! : snapshot}${row && `.${row}`}.snapshot.json`;
  const actual = masked(body ?? text, new Set(["request_id", ...always, ...mask]), []);
  if (update) {
    await new DurableFiles(dirname(file)).write(file, `${JSON.stringify(actual, null, 2)}\n`);
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

function masked(value: unknown, fields: ReadonlySet<string>, path: readonly string[]): unknown {
  return mapItems(value, (item, key) => {
    if (typeof key === "number") return masked(item, fields, path);
    const at = [...path, key];
    return fields.has(key) || fields.has(at.join(".")) ? `<${describeType(item)}>` : masked(item, fields, at);
  });
}
