import { z } from "zod";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { StorageReplacedError } from "../storage.ts";

/** What a storage bears: a random id, created when the storage is first used. */
const identityDocument = z.object({
  id: z.string().min(1),
  marks: z.int().optional(), // How many there are; absent in a mark itself, and where an earlier build made only one.
  accepted: z.string().optional(), // Differs after each `anp storage accept`.
});

export type IdentityDocument = z.infer<typeof identityDocument>;

/** The identity in a stored text; undefined for none, and for one that is damaged. */
export const parseIdentity = (text: string | null | undefined): IdentityDocument | undefined =>
  identityDocument.safeParse(parseJson(text ?? "")).data;

/** The identity that a process expects of its storage, and what it makes of those that it finds. */
export class ExpectedIdentity {
  #id: string | undefined;
  #isFixed = false;
  readonly #refused = new Map<string, string | undefined>(); // By place: `accepted` of what was first found replaced.

  /** Undefined until {@link expect}: any storage is taken. */
  get id(): string | undefined {
    return this.#id;
  }

  /** @param isFixed whether an operator named it, so that no other one can be accepted while this process runs */
  expect(id: string, isFixed: boolean): void {
    this.#id = id;
    this.#isFixed = isFixed;
  }

  /** Judges what a place bears. An identity that is accepted by `anp storage accept` after the expected one was missed
   * is expected from then on.
   * @param place as an operator knows it: a URL, a folder, a node's address
   * @returns why the place must not be used; undefined when it may be */
  judge(place: string, text: string | null | undefined): StorageReplacedError | undefined {
    if (this.#id === undefined) return undefined;
    const found = parseIdentity(text);
    if (found?.id === this.#id) {
      this.#refused.delete(place);
      return undefined;
    }
    if (!this.#refused.has(place)) this.#refused.set(place, found?.accepted);
    else if (found?.accepted !== undefined && found.accepted !== this.#refused.get(place) && !this.#isFixed) {
      this.#refused.delete(place);
      this.#id = found.id;
      return undefined;
    }
    return replaced(place, this.#id, found?.id);
  }
}

/** The error for a place that has another identity, or none. */
export function replaced(place: string, expected: string, found: string | undefined): StorageReplacedError {
  const instead = found === undefined ? "has none: its data are gone, or it is another one" : `has ${found}`;
  return new StorageReplacedError(`The storage at ${place} should have the identity ${expected}, but ${instead}.`);
}
