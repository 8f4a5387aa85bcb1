import { fold } from "../../language/tokenize.ts";
import type { Turn } from "../answer.ts";
import { ordinalOf } from "./ordinals.ts";
import { OFFER } from "./replies.ts";
import { isFunctional } from "../../language/stop-words.ts";
import { searchTerms } from "../retrieval/language-index.ts";

const CHOICE = /^\d\. (.+?)(?:（英文[资資]料）| \(an article in Chinese\))?$/;
const LEADS = { zh: fold(OFFER.zh), en: fold(OFFER.en) }; // An offer may have been in Traditional characters.

/** The title that a question chooses, by number, position or words, from those that the previous answer offered, and
 * the language of that offer; undefined when nothing was offered or another question is asked. */
export function chosenTitle(question: string, history: readonly Turn[]) {
  const [lead = "", ...lines] = history.at(-1)?.answer.split("\n") ?? [];
  const lang = (["zh", "en"] as const).find((one) => fold(lead) === LEADS[one]);
  if (lang === undefined) return undefined;
  const titles = lines.flatMap((line) => CHOICE.exec(line)?.[1] ?? []);
  const ordinal = ordinalOf(question);
  const title = ordinal === undefined ? titles.find((one) => names(one, question)) : titles.at(ordinal - 1);
  return title === undefined ? undefined : { title, lang };
}

/** Whether a title contains all content words of a text, or a share of them. */
export function names(title = "", text: string, least = 1): boolean {
  const words = searchTerms(text).filter((term) => !isFunctional(term) && term !== "one");
  const terms = searchTerms(title);
  return words.length > 0 && words.filter((word) => terms.includes(word)).length >= least * words.length;
}
