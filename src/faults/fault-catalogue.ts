import { didYouMean } from "../runtime/text/edit-distance.ts";
import FAULTS from "./faults.json" with { type: "json" };

type Catalogue = typeof FAULTS;
/** The part that fails: a name of `faults.json`, which says what each kind does, and how a caller notices. */
export type FaultName = keyof Catalogue;

/** One fault: what fails and how. */
export type Fault = {
  readonly [N in FaultName]: {
    readonly name: N;
    readonly kind: keyof Catalogue[N];
    readonly ms: number; // How long an answer is held back, in milliseconds.
    readonly times: number;
  };
}[FaultName];

const SLOW_MS = 2000;
const MAX_MS = 3_600_000;

/** All faults as `NAME=KIND`, with their descriptions. */
export const FAULT_LIST: readonly { readonly text: string; readonly about: string }[] = Object.entries(FAULTS).flatMap(
  ([name, kinds]) => Object.entries(kinds).map(([kind, about]) => ({ text: `${name}=${kind}`, about })),
);

/** Reads `NAME=KIND`, optionally followed by `,times=N` or `,ms=N`.
 * @throws RangeError whose message continues after the name of the flag or key */
export function readFault(typed: string): Fault {
  const [head = "", ...settings] = typed.split(",");
  const [name = "", kind = ""] = head.split("=");
  const names = Object.keys(FAULTS);
  if (!names.includes(name)) throw unknownName(typed, `NAME=KIND with a NAME of ${names.join(", ")}`, name, names);
  const kinds = Object.keys(FAULTS[name as FaultName]);
  if (!kinds.includes(kind)) throw unknownName(typed, `${name}=KIND with a KIND of ${kinds.join(" or ")}`, kind, kinds);
  const read: Record<string, number> = { times: Infinity, ms: name === "answers" ? SLOW_MS : 0 };
  const known = name === "answers" ? ["ms", "times"] : ["times"];
  for (const setting of settings) {
    const [key = "", value = ""] = setting.split("=");
    if (!known.includes(key)) {
      const quoted = JSON.stringify(setting);
      throw new RangeError(`has an unknown setting ${quoted}: ${name} takes only ${known.join(" and ")}`);
    }
    const max = key === "ms" ? MAX_MS : Number.MAX_SAFE_INTEGER;
    if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > max)
      throw new RangeError(`must give ${key} as an integer from 1 to ${max}, not ${JSON.stringify(setting)}`);
    read[key] = Number(value);
  }
  return { name, kind, ...read } as Fault;
}

/** @throws RangeError, as {@link readFault} does, when two faults have the same name */
export function checkFaults(faults: readonly Fault[]): void {
  for (const [index, { name }] of faults.entries())
    if (faults.findIndex((other) => other.name === name) !== index) throw new RangeError(`names ${name} twice`);
}

/** A daemon is in production unless its configuration says otherwise or it runs on a fixture.
 * @throws RangeError as {@link readFault} does */
export function refuseInProduction(mode: "production" | "staging" | undefined, onFixture: boolean): void {
  if (mode === "production")
    throw new RangeError("is refused: the configuration says that this daemon is in production (mode)");
  const remedy = "Give --demo, or set ANP_MODE=staging where there are no real users";
  if (mode === undefined && !onFixture) throw new RangeError(`is refused in production. ${remedy}`);
}

/** The text of a fault, as {@link readFault} accepts it. */
export function faultText({ name, kind, ms, times }: Fault): string {
  const slow = name === "answers" && ms !== SLOW_MS ? `,ms=${ms}` : "";
  return `${name}=${kind}${slow}${times === Infinity ? "" : `,times=${times}`}`;
}

function unknownName(typed: string, form: string, name: string, known: readonly string[]): RangeError {
  const hint = didYouMean(name, known);
  // The caller adds the full stop.
  return new RangeError(`must be ${form}, not ${JSON.stringify(typed)}${hint === "" ? "" : `.${hint}`}`);
}
