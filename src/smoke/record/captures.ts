import { nameOf } from "../file/read-smoke-file.ts";
import { scalarsIn } from "../file/references.ts";

const ID_KEY = /^(?!user_id$)(\w+_)?id$/; // Keys of ids; a user's id is not made by a daemon.
const SMALLEST = 1_000_000; // Smaller numbers are counters, as of a ledger's entries.

/** An id that a daemon makes. */
export const isId = (key: string, value: unknown): boolean =>
  ID_KEY.test(key) && (typeof value === "number" ? value >= SMALLEST : typeof value === "string" && value !== "");

/** The ids in recorded answers, by which later calls refer to earlier ones. */
export class Captures {
  readonly #references = new Map<unknown, { readonly step: string; readonly text: string }>();
  readonly used = new Set<string>(); // Names of the steps that others refer to.

  note(step: string, body: unknown): void {
    for (const [value, path] of scalarsIn(body)) {
      const key = String(path.findLast((part) => typeof part === "string"));
      if (!isId(key, value)) continue;
      const reference = { step, text: `\${${step}.${nameOf(path)}}` };
      for (const name of [value, `${key} ${String(value)}`])
        if (!this.#references.has(name)) this.#references.set(name, reference);
    }
  }

  /** The reference to the answer that had this id first, under the same key if there is one. */
  reference(key: string, id: unknown): string | undefined {
    if (!isId(key, id)) return undefined;
    const known = this.#references.get(`${key} ${String(id)}`) ?? this.#references.get(id);
    if (known !== undefined) this.used.add(known.step);
    return known?.text;
  }
}
