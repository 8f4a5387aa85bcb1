import type { SmokeFile } from "../file/read-smoke-file.ts";
import { referencesIn } from "../file/resolve-references.ts";
import { listOf, PHASES, type Row, type Step } from "../file/smoke-file.ts";
import { truncate } from "./smoke-result.ts";

/** Which steps of a file to run; those that they refer to, the setup and the cleanup run with them. */
export interface Selection {
  readonly tags?: readonly string[] | undefined; // A chosen step has one of them, and none of those after a `!`.
  readonly grep?: string | undefined; // Part of the title, the request or the file's name, in any case.
  readonly lines?: readonly number[]; // Lines of steps; all when empty.
}

/** A step that is to run, once for each of its rows. `number` is that of the row, as 2, or 1.2 with rows of the file too;
 * `rows` are several where they are sent at once. Without rows the number is empty, and the one row undefined. */
export type Case = ReturnType<typeof casesOf>[number] & { readonly skip?: string | undefined };

/** The steps of a file to run, in order; none where the selection chooses no step. */
export function planCases(file: SmokeFile, selection: Selection = {}): Case[] {
  const all = casesOf(file);
  const chosen = withReferences(all, (one) => isChosen(one, file, selection));
  if (chosen.size === 0) return [];
  const only = withReferences(all, ({ step }) => step.only === true && !selection.lines?.length);
  const kept = all.filter((one) => one.phase !== "steps" || chosen.has(one));
  return kept.map((one) => {
    const isLeft = only.size > 0 && one.phase === "steps" && !only.has(one);
    return { ...one, skip: one.step.skip ?? (isLeft ? "another step has only: true" : undefined) };
  });
}

function isChosen({ phase, index, step, title }: Case, { content, path, linesOf }: SmokeFile, by: Selection): boolean {
  const { tags = [], grep = "", lines = [] } = by;
  if (lines.length > 0) {
    const [first, last] = linesOf([phase, index]);
    return lines.some((line) => line >= first && line <= last);
  }
  const own = new Set([...(content.tags ?? []), ...(step.tags ?? [])]);
  const wanted = tags.filter((tag) => !tag.startsWith("!"));
  const isRefused = tags.some((tag) => tag.startsWith("!") && own.has(tag.slice(1)));
  const isTagged = !isRefused && (wanted.length === 0 || wanted.some((tag) => own.has(tag)));
  const words = [title, step.request, content.name ?? path].join("\n").toLowerCase();
  return phase === "steps" && isTagged && words.includes(grep.toLowerCase());
}

function withReferences(all: readonly Case[], choose: (one: Case) => boolean): Set<Case> {
  const found = new Set(all.filter(choose));
  // Iterating over a set includes elements that are added during the iteration.
  for (const { step } of found) {
    const heads = new Set(referencesIn(step).map(({ head }) => head));
    for (const one of all) if (one.step.id !== undefined && heads.has(one.step.id)) found.add(one);
  }
  return found;
}

const casesOf = ({ content, linesOf }: SmokeFile) =>
  PHASES.flatMap((phase) =>
    numbered(phase === "steps" ? content.rows : undefined).flatMap((outer) =>
      (content[phase] ?? []).flatMap((step, index) =>
        numbered(step.at_once === "rows" ? undefined : step.rows).map((inner) => {
          const row = outer.row || inner.row ? { ...outer.row, ...inner.row } : undefined;
          const number = [outer.number, inner.number].filter((one) => one !== "").join(".");
          const rows = step.at_once === "rows" ? listOf(step.rows).map((own) => ({ ...row, ...own })) : [row];
          const [line] = linesOf([phase, index]);
          return { phase, index, step, rows, number, title: titleOf(step, row, number), line };
        }),
      ),
    ),
  );

function numbered(rows: Step["rows"]): { row?: Row; number: string }[] {
  const list = listOf(rows).map((row, index) => ({ row, number: String(index + 1) }));
  return list.length === 0 ? [{ number: "" }] : list;
}

const TITLE_PART = 60; // Characters of a body or a row in a title.
const SECRET = /(^|_)(token|secret|key|password)$/i;

function titleOf({ name, id, request, query, body, raw }: Step, row: Row | undefined, number: string): string {
  const sent = raw ?? (body === undefined ? "" : JSON.stringify(body));
  const search = Object.entries(query ?? {}).map(([key, value]) => `${key}=${[value].flat().join(",")}`);
  const path = search.length === 0 ? request : `${request}?${search.join("&")}`;
  const title = name ?? id ?? (sent === "" ? path : `${path} ${truncate(sent, TITLE_PART)}`);
  if (row === undefined) return title;
  const words = new Map(Object.entries(row).map(([key, value]) => [key, word(key, value)]));
  const filled = title.replaceAll(/\$\{row\.([\w-]+)(?::\w+)?\}/g, (text, key: string) => words.get(key) ?? text);
  if (filled !== title) return `${filled} [${number}]`;
  return `${title} [${number}: ${truncate(Array.from(words, (pair) => pair.join("=")).join(", "), TITLE_PART)}]`;
}

function word(key: string, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A reference without a default is not the secret itself.
  return SECRET.test(key) && !/^\$\{[\w.]+\}$/.test(text) ? "***" : text;
}
