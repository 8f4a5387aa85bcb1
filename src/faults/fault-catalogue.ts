import { didYouMean } from "../runtime/did-you-mean.ts";

/** What each kind of fault does, and how a caller notices. */
export const FAULTS = {
  model: {
    timeout: "the model never answers: 1007 after model.timeout_ms",
    error: "the model answers with status 500: 1007 once the retries of model.max_retries are used up",
    refused: "the model cannot be reached: 1007, as above",
    empty: "the model returns an empty answer: 1007, as above",
  },
  storage: {
    "read-error": "every read fails: 503; front page and news are served from memory; /readyz is 503",
    "write-error": "every write fails: a chat or an exchange is 503 and charges nothing; an event is not stored",
    down: "every read and every write fails",
    damage: "every value read is damaged: 500",
  },
  events: { "write-error": "the event log cannot be written: events are accepted and not stored" },
  "hot-topics": { error: "hot topics fail internally: the bundled snapshot is shown, with 200" },
  "trade-reward": { error: "the experimental endpoint fails: 500" },
  answers: { slow: "every answer of the API is delayed by ms, 2000 by default" },
} as const satisfies Record<string, Record<string, string>>;

/** The part that fails. */
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
