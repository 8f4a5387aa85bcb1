import { didYouMean } from "../../runtime/text/edit-distance.ts";
import {
  castValue,
  refuse,
  resolveAll,
  UNKNOWN,
  UnresolvedError,
  valueAt,
  type Env,
  type Reference,
} from "./references.ts";
import type { Row } from "./smoke-file.ts";

/** The values of `${run.NAME}`. */
export interface RunValues {
  /** Differs in each run against a daemon, for ids that must be new. */
  readonly id: string;
  /** Of --token, the profile or ANP_TOKEN; on the file's own daemon, of the fixture's first user. Absent without one. */
  readonly token?: string;
  /** On the file's own daemon: the tokens of the fixture's users, by user. */
  readonly tokens?: Readonly<Record<string, string>>;
}

/** The values that references resolve to: those of a run, or as much of them as is known before it. */
export interface Scope {
  readonly env: Env;
  /** {@link UNKNOWN} before the run; absent where no value of the run can be named. */
  readonly run?: RunValues | typeof UNKNOWN | undefined;
  /** As written in the file: their values may be references. Null where they cannot be named. */
  readonly vars?: Row | null | undefined;
  readonly row?: Row | undefined;
  readonly rowName?: string;
  /** The value at a path of the answer of an earlier step.
   * @throws UnresolvedError */
  readonly answer: (reference: Reference, path: readonly string[]) => unknown;
  /** Values of the environment that reports must not show are added to it. */
  readonly secrets?: Set<string>;
}

/** First segments of references that do not name steps. */
const HEADS = { env: environmentValue, run: runValue, vars: writtenValue, row: writtenValue } as const;

/** Whether a word begins references that do not name a step. */
export function isReserved(head: string): head is keyof typeof HEADS {
  return Object.hasOwn(HEADS, head);
}

/** Names of variables whose values reports do not show. */
const SECRET = /token|secret|key|password/i;

/** Characters of the shortest value that reports mask: a shorter one would hide parts of other words. */
export const SHORTEST_SECRET = 4;

/** The value of a reference; {@link UNKNOWN} where the scope is that of before the run, and only the run knows it.
 * @throws UnresolvedError for a reference without a value */
export function valueOf(reference: Reference, scope: Scope): unknown {
  const { head } = reference;
  const path = reference.path.map((segment) => resolveAll(segment, (inner) => valueOf(inner, scope)));
  if (path.includes(UNKNOWN)) return UNKNOWN;
  const words = path.map((word) => {
    if (/^[\w-]+$/.test(String(word))) return String(word);
    return refuse(reference, `cannot be resolved: ${JSON.stringify(word)} is not a name.`);
  });
  const value = isReserved(head) ? HEADS[head](reference, words, scope) : scope.answer(reference, words);
  return value === UNKNOWN ? value : castValue(reference, value);
}

function environmentValue(reference: Reference, path: readonly string[], scope: Scope): unknown {
  const [name = ""] = path;
  if (path.length !== 1) refuse(reference, "does not name an environment variable: write ${env.NAME}.");
  // An empty variable is not set.
  const value =
    scope.env[name] || (resolveAll(reference.fallback, (inner) => valueOf(inner, scope)) as string | undefined);
  if (value === undefined) return refuse(reference, `is not set.${didYouMean(name, Object.keys(scope.env))}`);
  if (SECRET.test(name)) scope.secrets?.add(value);
  return value;
}

function runValue(reference: Reference, path: readonly string[], { run }: Scope): unknown {
  const [name, user] = path;
  if (run === undefined) return refuse(reference, "is not known before the daemon runs; only ${env.NAME} is.");
  if (!/^(id|token|tokens\.[^.]+)$/.test(path.join("."))) {
    refuse(reference, "is not a value of the run. Known values: ${run.id}, ${run.token}, ${run.tokens.USER}.");
  }
  if (run === UNKNOWN) return UNKNOWN;
  const { id, token, tokens } = run;
  if (name === "id") return id;
  if (user === undefined) return token ?? refuse(reference, "has no value; set --token or ANP_TOKEN.");
  const known = tokens && `the fixture's users are ${Object.keys(tokens).join(", ")}.`;
  const own = "it is for the file's own daemon. With --url write ${run.token}, or ${env.NAME} for each user.";
  return tokens?.[user] ?? refuse(reference, `has no value: ${known ?? own}`);
}

function writtenValue(reference: Reference, [name, ...rest]: readonly string[], scope: Scope): unknown {
  const { vars, row, rowName = "row" } = scope;
  const isRow = reference.head === "row";
  const root = isRow ? row : vars;
  if (root === undefined) return refuse(reference, isRow ? "needs `rows`." : "needs `vars`.");
  if (root === null) return refuse(reference, "cannot be used here.");
  const written = name === undefined ? root : valueAt(root, [name], reference, isRow ? rowName : "vars");
  // The value itself may be a reference; rows may refer to vars.
  const outer = { ...scope, row: undefined, vars: isRow ? vars : null };
  try {
    const value = resolveAll(written, (inner) => valueOf(inner, outer));
    return valueAt(value, rest, reference, `${reference.head}.${name}`);
  } catch (error) {
    // Before the run, an error of the value is reported at its own place.
    if (scope.run !== UNKNOWN || !(error instanceof UnresolvedError) || error.reference === reference) throw error;
    return UNKNOWN;
  }
}
