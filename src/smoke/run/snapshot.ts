import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describeType } from "../../runtime/describe-value.ts";
import { DurableFiles } from "../../storage/fs/durable-files.ts";
import { mapItems } from "../file/json-values.ts";
import { differences, type Problem } from "./problem.ts";
import type { SmokeAnswer } from "./smoke-result.ts";

/** The snapshots of a smoke file: the files beside it that bodies of answers are compared with. */
export interface Snapshots {
  /** What the paths of its snapshots begin with. */
  readonly base: string;
  /** Number of the step's row; empty without rows. */
  readonly row: string;
  /** Whether they are written instead. */
  readonly update: boolean;
}

/** Differs in each answer. */
const ALWAYS_MASKED = ["request_id"];

/**
 * Compares the body of an answer with a snapshot, or writes the snapshot.
 *
 * @param mask fields whose values are replaced by their types: a name at any depth, or a path as `data.items.id`
 */
export async function checkSnapshot(
  { base, row, update }: Snapshots,
  name: string,
  { body, text }: SmokeAnswer,
  mask: readonly string[],
): Promise<readonly Problem[]> {
  const file = `${base}.${name}${row && `.${row}`}.snapshot.json`;
  const actual = masked(body ?? text, new Set([...ALWAYS_MASKED, ...mask]), []);
  if (update) {
    await new DurableFiles(dirname(file)).write(file, `${JSON.stringify(actual, null, 2)}\n`);
    return [];
  }
  try {
    const stored: unknown = JSON.parse(await readFile(file, "utf8"));
    return differences(stored, actual, "").map((problem) => ({ ...problem, path: problem.path || "body" }));
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
