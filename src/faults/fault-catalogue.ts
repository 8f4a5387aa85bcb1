import { didYouMean } from "../runtime/did-you-mean.ts";
import FAULTS from "./faults.json" with { type: "json" };

/** The part that fails: a name of `faults.json`, which says what each kind does, and how a caller notices. */
export type FaultName = keyof typeof FAULTS;

type KindOf<N extends FaultName> = N extends FaultName ? keyof (typeof FAULTS)[N] : never;

/** One fault: what fails and how. */
export type Fault = {
  readonly [N in FaultName]: {
    readonly name: N;
    readonly kind: KindOf<N>;
    /** How long an answer is held back, in milliseconds. */
    readonly ms: number;
    /** How many times it is injected. */
    readonly times: number;
  };
}[FaultName];

const SLOW_MS = 2000;
/** An hour, ms. */
const MOST_MS = 3_600_000;

/** All faults as `NAME=KIND`, with their descriptions. */
export const FAULT_LIST: readonly { readonly text: string; readonly about: string }[] = Object.entries(FAULTS).flatMap(
  ([name, kinds]) => Object.entries(kinds).map(([kind, about]) => ({ text: `${name}=${kind}`, about })),
);

/**
 * Reads `NAME=KIND`, optionally followed by `,times=N` or `,ms=N`.
 *
 * @throws RangeError whose message continues after the name of the flag or key
 */
export function readFault(typed: string): Fault {
  const [head = "", ...settings] = typed.split(",");
  const [name, kind] = head.split("=");
  const kinds = name !== undefined && Object.hasOwn(FAULTS, name) ? FAULTS[name as FaultName] : undefined;
  if (name === undefined || kinds === undefined) {
    const names = Object.keys(FAULTS);
    throw new RangeError(
      `must be NAME=KIND with a NAME of ${names.join(", ")}, not ${quoted(typed)}${hinted(name ?? "", names)}`,
    );
  }
  if (kind === undefined || !Object.hasOwn(kinds, kind)) {
    const known = Object.keys(kinds);
    throw new RangeError(
      `must be ${name}=KIND with a KIND of ${known.join(" or ")}, not ${quoted(typed)}${hinted(kind ?? "", known)}`,
    );
  }
  const read = { ms: name === "answers" ? SLOW_MS : 0, times: Infinity };
  for (const setting of settings) {
    const [key, value] = setting.split("=");
    const known = name === "answers" ? ["ms", "times"] : ["times"];
    if ((key !== "ms" && key !== "times") || !known.includes(key)) {
      throw new RangeError(`has an unknown setting ${quoted(setting)}: ${name} takes only ${known.join(" and ")}`);
    }
    const most = key === "ms" ? MOST_MS : Number.MAX_SAFE_INTEGER;
    if (!/^\d+$/.test(value ?? "") || Number(value) < 1 || Number(value) > most) {
      throw new RangeError(`must give ${key} as an integer from 1 to ${most}, not ${quoted(setting)}`);
    }
    read[key] = Number(value);
  }
  return { name, kind, ...read } as Fault;
}

/**
 * Checks that no two faults have the same name.
 *
 * @throws RangeError as {@link readFault} does
 */
export function checkFaults(faults: readonly Fault[]): readonly Fault[] {
  for (const [index, { name }] of faults.entries()) {
    if (faults.findIndex((other) => other.name === name) !== index) throw new RangeError(`names ${name} twice`);
  }
  return faults;
}

/** The text of a fault, as {@link readFault} accepts it. */
export function faultText({ name, kind, ms, times }: Fault): string {
  return [
    `${name}=${kind}`,
    ...(name === "answers" && ms !== SLOW_MS ? [`ms=${ms}`] : []),
    ...(times === Infinity ? [] : [`times=${times}`]),
  ].join(",");
}

/** The name that was probably meant, as one more sentence; the caller adds the full stop. */
function hinted(typed: string, known: readonly string[]): string {
  const hint = didYouMean(typed, known);
  return hint === "" ? "" : `.${hint}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
