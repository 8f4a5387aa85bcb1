import { isUtf8 } from "node:buffer";
import { stringify } from "yaml";
import type { WireResponse } from "../../client/transport.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { mapItems } from "../../runtime/json/json-values.ts";
import { METHODS, type SmokeContent, type Step } from "../file/smoke-file.ts";
import { isInstant } from "../run/matchers.ts";
import { bodyOf } from "../run/check-answer.ts";
import { endToEnd, type RecordedCall } from "./recording-proxy.ts";
import { nameOf } from "../file/read-smoke-file.ts";
import { scalarsIn, MIN_SECRET } from "../file/resolve-references.ts";

interface Recording {
  readonly head: Partial<SmokeContent>; // Its daemon's fixture, clock and seed; empty for another process's daemon.
  readonly tokens: Readonly<Record<string, string>>; // The daemon's tokens, by their references in the file.
  readonly exact: boolean; // Whether answers must be equal byte for byte.
}

const SENT = ["idempotency-key", "x-request-id", "origin"]; // Headers of requests that change answers.
const MAX = { page: 4096, api: 256 * 1024 }; // Most bytes of a page outside the API, and of an API answer.

interface Context extends Recording {
  readonly isOwn: boolean;
  readonly secrets: ReturnType<typeof createSecrets>;
  readonly captures: Captures;
  readonly note: (text: string) => void; // Notes what the file does not repeat or compare.
}

/** A deterministic smoke file that repeats the calls and expects their answers, and the variables that it needs. */
export function toSmokeFile(calls: readonly RecordedCall[], recording: Recording) {
  const isOwn = recording.head.seed !== undefined;
  const secrets = createSecrets(calls, recording.tokens, isOwn);
  const captures = new Captures();
  const { variables } = secrets;
  const comments = [
    `Recorded by anp smoke record. ${isOwn ? "It runs on its own daemon." : "Run it with --url and --token."}`,
    ...variables.map((name) => `Set ${name} in the environment: a token.`),
  ];
  const drafts = calls.flatMap((call, index) => {
    const id = `call${index + 1}`;
    const note = (text: string) => comments.push(`${id}, ${call.method} ${secrets.hide(call.target)}: ${text}`);
    const step = toStep(call, { ...recording, isOwn, secrets, captures, note });
    if (step !== undefined && typeof call.answer === "object") captures.note(id, parseJson(call.answer.text));
    return step === undefined ? [] : { ...step, id };
  });
  const steps = drafts.map(({ id, ...step }) => (captures.used.has(id) ? { id, ...step } : step));
  const options = { lineWidth: 0, aliasDuplicateObjects: false }; // Long texts stay on one line.
  const file = stringify({ name: "Recorded calls", ...recording.head, steps }, options);
  return { text: comments.map((line) => `# ${line.replaceAll(/[\r\n]+/g, " ")}\n`).join("") + file, variables };
}

function toStep(call: RecordedCall, context: Context): Step | undefined {
  const { method, target, headers, body, answer } = call;
  const { secrets, captures, note } = context;
  const text = isUtf8(body) ? body.toString() : undefined;
  const isKnown = METHODS.some((known) => known === method);
  if (typeof answer === "string" || !isKnown || text === undefined) {
    const lost = typeof answer === "string" ? answer : isKnown && "its body is not UTF-8 text";
    note(`not recorded: ${lost || "the method is not supported"}`);
    return undefined;
  }
  const path = secrets
    .hide(target)
    .replaceAll(/([?&]([^?=&]+)=)([^&]+)/g, (all, start: string, key: string, id: string) => {
      const reference = captures.reference(key, id) ?? captures.reference(key, Number(id));
      return reference === undefined ? all : start + reference;
    });
  const token = headers["x-user-token"];
  const type = headers["content-type"] ?? null;
  const kept: [string, string | null][] = SENT.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, secrets.hide(headers[name])]],
  );
  if (text !== "" && type !== "application/json") kept.push(["content-type", type]);
  return {
    request: `${method} ${path}`,
    ...(token && { token: secrets.referenceOf(token) }),
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
    ...(text !== "" && bodyKeys(text, context)),
    expect: expected(answer, call, context),
  };
}

/** `body` if the runner then sends the same JSON, else `raw`. */
function bodyKeys(text: string, { captures, secrets }: Context): Pick<Step, "body" | "raw"> {
  const value = parseJson(text);
  const compact = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  if (value === undefined || JSON.stringify(value) !== compact || !isPlain(value)) return { raw: secrets.hide(text) };
  return { body: mapped(value, "", (key, item) => captures.reference(key, item) ?? secrets.hide(item)) };
}

function expected(answer: WireResponse, { target, body: sent }: RecordedCall, context: Context): Step["expect"] {
  const { secrets, captures, isOwn, exact } = context;
  const { status } = answer;
  const received = mapItems(endToEnd(answer.headers), (text) => secrets.hide(text)) as Record<string, string>;
  const replayed = answer.headers["idempotency-replayed"];
  const headers = exact ? received : replayed && { "idempotency-replayed": replayed };
  const head = { ...((exact || status !== 200) && { status }), ...(headers && { headers }) };
  const text = comparableText(answer, target, context);
  if (!text) return head;
  const body = exact ? undefined : bodyOf({ headers: answer.headers, text });
  if (body === undefined || !isPlain(body)) return { ...head, text: secrets.hide(text) };
  const compared = mapped(body, "", (key, value) => {
    const type = { $type: typeof value === "number" ? "integer" : "string" };
    // Ids chosen by the caller, and content ids, are the same in each run.
    if (isId(key, value) && (typeof value === "number" || key !== "id") && !sent.includes(String(value)))
      return captures.reference(key, value) ?? type;
    if (!isOwn && isInstant(value)) return { $type: "timestamp" };
    if (!isOwn && /^(id|latency_ms)$/.test(key) && typeof value === "number") return type;
    return secrets.hide(value);
  });
  const { success, code, request_id: _, ...rest } = compared as Readonly<Record<string, unknown>>;
  if (success === undefined || code === undefined) return { ...head, body: compared };
  return status === 200 ? { ...head, data: rest["data"] } : { ...head, code, body: rest };
}

function comparableText({ bytes }: WireResponse, target: string, { note, exact }: Context): string | undefined {
  const text = isUtf8(bytes) ? bytes.toString() : undefined;
  if (text !== undefined && bytes.length <= MAX[exact || target.startsWith("/api/") ? "api" : "page"]) return text;
  note(`its body is not compared: ${text === undefined ? "it is not UTF-8 text" : `it has ${bytes.length} bytes`}`);
  return undefined;
}

function mapped(value: unknown, key: string, replace: (key: string, value: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return replace(key, value);
  return mapItems(value, (item, name) => mapped(item, typeof name === "number" ? key : name, replace));
}

/** Whether a file can hold the value: no key of a matcher, no lone surrogate, no text that looks like a reference. */
const isPlain = (value: unknown) => !/"\$[^"]*":|\\ud[89a-f]|"\$[A-Z_][A-Z0-9_]*"|\{\{/.test(JSON.stringify(value));

const ID_KEY = /^(?!user_id$)(\w+_)?id$/; // Keys of ids; a user's id is not made by a daemon.
const SMALLEST = 1_000_000; // Smaller numbers are counters, as of a ledger's entries.

/** An id that a daemon makes. */
const isId = (key: string, value: unknown): boolean =>
  ID_KEY.test(key) && (typeof value === "number" ? value >= SMALLEST : typeof value === "string" && value !== "");

/** The ids in recorded answers, by which later calls refer to earlier ones. */
class Captures {
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

const TOKEN = /\banp_[\w-]{16,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*/g; // The daemon's own, and JWTs, wherever they are.

/** Replaces the tokens of recorded calls by references, as `${run.token}`: a file never holds a token.
 * @param known tokens of the daemon's users, by reference @param isComplete whether any other token is invalid */
function createSecrets(calls: readonly RecordedCall[], known: Record<string, string>, isComplete: boolean) {
  const references = new Map(Object.entries(known).map(([reference, token]) => [token, reference]));
  const variables: string[] = [];
  let unknown = 0;
  for (const { target, headers, body, answer } of calls) {
    const answered = typeof answer === "string" ? answer : answer.text;
    const texts = [target, ...Object.values(headers), body.toString("latin1"), answered];
    const own = headers["x-user-token"];
    for (const token of [...(own ? [own] : []), ...(texts.join("\n").match(TOKEN) ?? [])]) {
      if (references.has(token)) continue;
      const name = `TOKEN_${++unknown}`;
      const used = calls.filter((call) => call.headers["x-user-token"] === token);
      // A refused token may be replaced by any other invalid one.
      const isRefused = isComplete || used.every(({ answer: got }) => typeof got === "object" && got.status === 401);
      if (!isRefused) variables.push(name);
      references.set(token, isRefused ? `\${env.${name}:-unknown}` : `\${env.${name}}`);
    }
  }
  const longestFirst = [...references].filter(([{ length }]) => length >= MIN_SECRET);
  longestFirst.sort(([a], [b]) => b.length - a.length);
  return {
    variables: variables as readonly string[], // Variables that a run of the file needs.
    referenceOf: (token: string): string => references.get(token)!, // The reference of a token that was in a header.
    /** How a text is written in a smoke file: `${` is escaped, and tokens are references. Other values are unchanged. */
    hide<T>(value: T): T {
      if (typeof value !== "string") return value;
      const escaped = value.replaceAll("${", () => "$${");
      return longestFirst.reduce((text, [token, reference]) => text.replaceAll(token, () => reference), escaped) as T;
    },
  };
}
