import { sentencesOf } from "../../language/sentences.ts";

/** A sentence, list item or table row of a reply. */
export interface Statement {
  readonly text: string; // Without citation marks and bullet.
  readonly own: readonly number[]; // Numbers of the passages that it cites itself, from 1.
  readonly cited: readonly number[]; // `own`, or the citations of the paragraph or list that it belongs to.
}

/** One citation mark, or a list in brackets: `[1]`, `【1】`, `[1, 3-5]`. */
const MARKS = /[ \t]{0,3}[[【]\s{0,3}(\d{1,3}(?:\s{0,3}[-–,，、;]\s{0,3}\d{1,3}){0,12})\s{0,3}[\]】]/g;
/** Marks after the end of a sentence belong to that sentence. */
const MARKS_BEHIND = /([.。！？!?…]["”’」』）)*]{0,4})((?:[ \t]{0,3}[[【][\d\s,，、;–-]{1,60}[\]】]){1,8})/g;
const BULLET =
  /^\s*(?:[-*•·–—]\s+|\(?\d{1,2}[.)、）]\s*(?!\d)|[（(][一二三四五六七八九十\d]{1,2}[)）]\s*|[一二三四五六七八九十]、|#{1,6}\s+|[①-⑳]\s*)/u;
const LEAD = /[:：]\s{0,3}\*{0,3}\s{0,3}$/;

interface Part extends Omit<Statement, "cited"> {
  readonly isLead: boolean; // Introduces what follows it: "You need:".
  readonly isItem: boolean;
  readonly block: number;
}

/** The statements of a reply, in order, with their citations. Linear time. */
export function statementsOf(reply: string): Statement[] {
  const parts: Part[] = [];
  let block = 0;
  for (const whole of reply.replace(MARKS_BEHIND, "$2$1").split("\n")) {
    if (whole.trim() === "") block++;
    const isItem = BULLET.test(whole) || /^\s*\|/.test(whole);
    for (const text of sentencesOf(whole.replace(BULLET, "").replace(/\*\*|__/g, ""))) {
      const own = [...new Set([...text.matchAll(MARKS)].flatMap(([, list = ""]) => numbersIn(list)))];
      const bare = text.replace(MARKS, "").trim();
      if (!/[\p{L}\p{N}]/u.test(bare)) continue;
      parts.push({ text: bare, own, isLead: LEAD.test(bare), isItem, block });
    }
  }
  return parts.map(({ text, own }, at) => ({ text, own, cited: citedBy(parts, at) }));
}

/** A statement's own citations, else those of the next sentence with any in its block, else those of a list's lead. */
function citedBy(parts: readonly Part[], at: number): readonly number[] {
  const part = parts[at]!;
  if (part.own.length > 0) return part.own;
  const after = parts
    .slice(at + 1, at + 30)
    .find(({ block, own }) => block <= part.block + (part.isLead ? 1 : 0) && own.length > 0);
  if (after !== undefined) return after.own;
  const lead = part.isItem ? parts.slice(0, at).findLast(({ isItem, isLead }) => isLead || !isItem) : undefined;
  return lead?.own ?? [];
}

const CLAUSE_END = /,(?!\d)|[，；;：:]|(?<![a-z])(?:but|and|while|whereas|however)(?![a-z])|但是?|而且?|不过/i;

export function clausesOf(sentence: string): string[] {
  const clauses = sentence.split(CLAUSE_END).map((clause) => clause.trim());
  return clauses.filter((clause) => /[\p{L}\p{N}]/u.test(clause));
}

/** The numbers that a list like "1, 3-5" names. */
export const numbersIn = (list: string): number[] =>
  [...list.matchAll(/(\d+)(?:\s*[-–]\s*(\d+))?/g)].flatMap(([, first, last = first]) => {
    const [from, to] = [Number(first), Math.min(Number(last), Number(first) + 30)];
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
  });
