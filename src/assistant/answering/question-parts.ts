import { hasHan } from "../../language/detect-language.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import CLAUSES from "./clause-patterns.json" with { type: "json" };

const VERBS = CLAUSES.verbs.join("|");
const withVerbs = (patterns: readonly string[]) => patterns.map((one) => one.replace("VERBS", VERBS));
const SAYS = patternsOf({ ...CLAUSES, join: withVerbs(CLAUSES.join), verb: withVerbs(CLAUSES.verb) }, "iu");
const REST = /^[ ,，、]+|(?<![ ,，、])[ ,，、]+$/g; // Remains of a boundary at the ends of a clause.
const LEAST = { zh: 4, en: 10 };
const MOST_PARTS = 3;

/** Splits a compound question: several questions, or one about several things that it does not compare. Empty for others. */
export function partsOf(question: string): { readonly question: string; readonly thing?: string }[] {
  const clauses = question.split(SAYS.boundary).map((part) => part.replace(REST, ""));
  const asking = clauses.filter((part) => part.length >= (hasHan(part) ? LEAST.zh : LEAST.en) && SAYS.asks.test(part));
  if (asking.length > 1) return asking.length <= MOST_PARTS ? asking.map((part) => ({ question: part })) : [];
  const frame = SAYS.frame.exec(question)?.[0];
  if (frame === undefined || SAYS.compares.test(question)) return [];
  const tail = SAYS.tail.exec(question)?.[0] ?? "";
  const things = question.slice(frame.length, question.length - tail.length).split(SAYS.join);
  const verb = SAYS.verb.exec(things[0]!)?.[0] ?? "";
  const parts = things.map((thing) => {
    const own = SAYS.verb.exec(thing)?.[0] ?? "";
    return { question: `${frame}${own === "" ? verb : ""}${thing}${tail}`, thing: thing.slice(own.length) };
  });
  return parts.length > 1 && parts.length <= MOST_PARTS ? parts : [];
}

/** The words beside the first joining word of a question: "xetra" and "tokyo" of "fees of xetra and tokyo". Empty for a
 * story, in which such a word joins sentences. */
export const joinedWords = (folded: string): string[] =>
  SAYS.story.test(folded) ? [] : (folded.match(SAYS.beside)?.slice(1).join(" ").split(" ") ?? []);
