import { hasHan } from "../../language/detect-language.ts";
import { groupBy } from "../../runtime/group-by.ts";

const BEGIN = /(?<![\p{L}\d])/uy;
const END = /(?![\p{L}\d])/uy;
const LEAD = 4; // Phrases are found by so many characters at most that they begin with.

/** Where a part of a phrase at a place ends together with what is `next`; -1 where one of them does not match. */
type Part = (text: string, at: number, next: (end: number) => number) => number;
/** A phrase of a row, or all that begin with one class. Of those that match at a place the first counts. */
type Branch = Readonly<{ row: number; order: number; part: Part }>;
type Branches = Map<string, Branch[]>; // By their leads; none at what only begins one.

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function firstEnd<T>(list: readonly T[], endOf: (one: T) => number): number {
  let end = -1;
  for (let at = 0; at < list.length && end < 0; at++) end = endOf(list[at]!);
  return end;
}

/** A run of at most so many of what matches, the longest or the shortest first. */
const runOf = (pattern: RegExp, most: number, isLongFirst = true): Part => {
  return (text, at, next) => {
    const ends: number[] = [];
    for (let end = at; end >= 0 && ends.length <= most; end = endOf(pattern, text, end)) ends.push(end);
    return firstEnd(isLongFirst ? ends.reverse() : ends, next);
  };
};
const ANY_END = runOf(/[\p{L}'-]/uy, Infinity);
const GAPS = [runOf(/(?:[^\s,;:.!?]|(?<=\d)[,.](?=\d))+ /uy, 4), runOf(/[^，。；：！？、,;:!?]/uy, 10, false)];
const isAt = (pattern: RegExp): Part => {
  return (text, at, next) => (endOf(pattern, text, at) < 0 ? -1 : next(at));
};

const inTurn = (parts: readonly Part[]): Part =>
  parts.reduceRight((rest, part) => (text, at, next) => part(text, at, (end) => rest(text, end, next)));

const oneOf = (branches: Branches): Part => {
  return (text, at, next) => firstEnd(branchesAt(branches, text, at), ({ part }) => part(text, at, next));
};

/** Those that may be at a place, in order. */
function branchesAt(branches: Branches, text: string, at: number): Branch[] {
  const found: Branch[] = [];
  for (let end = at, own; end <= text.length && (own = branches.get(text.slice(at, end))); end++) found.push(...own);
  return found.length < 2 ? found : found.sort((a, b) => a.order - b.order);
}

/** Reads phrases from rows of a kind, English phrases and Chinese ones: `*` is any ending of a word, `_` a gap of at most
 * four words (English) or ten characters (Chinese) within a clause. A kind in braces is a class of which later phrases use
 * one. A phrase is made when a text has its first characters: to compile all as expressions takes a second. */
export class Phrases {
  readonly #rows: readonly (readonly string[][])[];
  readonly #classes = [new Map<string, Branches>(), new Map<string, Branches>()];
  readonly #all: readonly Branches[] = [new Map(), new Map()];
  #count = 0;

  constructor(rows: readonly (readonly string[][])[]) {
    this.#rows = rows;
    for (const [row, [[kind = ""] = [], ...columns]] of rows.entries()) {
      for (const [lang, phrases] of columns.entries()) {
        const branches = kind.startsWith("{") ? new Map() : this.#all[lang]!;
        this.#addTo(branches, phrases, lang, 2 * row + lang);
        if (kind.startsWith("{")) this.#classes[lang]!.set(kind, branches);
      }
    }
  }

  /** The text with bars for its phrases, found row by row, the kind of each reported. */
  takenFrom(text: string, report: (kind: string) => void): string {
    let rest = text;
    let places = this.#placesOf(rest);
    for (let row = 0; row < 2 * this.#rows.length; row++) {
      let [kept, from] = ["", 0];
      for (const { at, part } of places.get(row) ?? []) {
        const end = at < from ? -1 : part(rest, at, Number);
        if (end < 0) continue;
        report(this.#rows[row >> 1]![0]![0]!);
        kept += `${rest.slice(from, at)} | `;
        from = end;
      }
      if (from > 0) places = this.#placesOf((rest = kept + rest.slice(from)));
    }
    return rest;
  }

  /** Where phrases may be, by their rows, in order. */
  #placesOf(text: string) {
    const found: { row: number; at: number; part: Part }[] = [];
    const isChinese = hasHan(text);
    for (const [lang, branches] of this.#all.entries()) {
      for (let at = 0; at < text.length && (lang === 0 || isChinese); at++) {
        if (lang === 0 && endOf(BEGIN, text, at) < 0) continue;
        for (const { row, part } of branchesAt(branches, text, at)) found.push({ row, at, part });
      }
    }
    return groupBy(found, ({ row }) => row);
  }

  /** Those that begin with one class share it; the others of one first letter are tried together. */
  #addTo(branches: Branches, phrases: readonly string[], lang: number, row: number): Branches {
    const add = (lead: string, branch: Branch): void => {
      for (let end = 0; end <= lead.length; end++)
        branches.set(lead.slice(0, end), branches.get(lead.slice(0, end)) ?? []);
      branches.get(lead)!.push(branch);
    };
    for (const [begin, list] of groupBy(phrases, (phrase) => /^(?:\{\w+\}|\p{L})/u.exec(phrase)?.[0] ?? "")) {
      const leads = this.#classes[lang]!.get(begin);
      if (leads) {
        const rests = list.map((phrase) => phrase.slice(begin.length));
        const part = inTurn([this.#classOf(begin, lang), oneOf(this.#addTo(new Map(), rests, lang, 0))]);
        const branch = { row, order: this.#count++, part };
        for (const [lead, { length }] of leads) if (length > 0) add(lead, branch);
      } else
        for (const phrase of list) add(/^[^{*_]*/.exec(phrase)![0].slice(0, LEAD), this.#branchOf(phrase, lang, row));
    }
    return branches;
  }

  #branchOf(phrase: string, lang: number, row: number): Branch {
    let read: Part | undefined;
    return { row, order: this.#count++, part: (...place) => (read ??= this.#partOf(phrase, lang))(...place) };
  }

  #partOf(phrase: string, lang: number): Part {
    const parts = phrase.split(/(\{\w+\}|\*|_ ?)/).map((token): Part => {
      if (token === "*") return ANY_END;
      if (token.startsWith("{")) return this.#classOf(token, lang);
      if (token === "_ " || (token === "_" && lang === 1)) return GAPS[lang]!;
      const literal = token === "_" ? "" : token;
      return (text, at, next) => (text.startsWith(literal, at) ? next(at + literal.length) : -1);
    });
    return inTurn(lang === 0 && /[\p{L}\d}]$/u.test(phrase) ? [...parts, isAt(END)] : parts);
  }

  #classOf(name: string, lang: number): Part {
    const part = oneOf(this.#classes[lang]!.get(name)!);
    return lang === 0 ? inTurn([isAt(BEGIN), part]) : part;
  }
}
