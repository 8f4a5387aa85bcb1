import type { Language } from "../../contract/schemas/shared-fields.ts";
import WORDINGS from "./replies.json" with { type: "json" };

const SMALL_TALK: Readonly<Record<string, Readonly<Record<Language, string>>>> = WORDINGS.smallTalk;

/** The reply to small talk. */
export const smallTalk = (subIntent: string, lang: Language): string =>
  (SMALL_TALK[subIntent] ?? WORDINGS.smallTalk.chat)[lang];

/** Fixed replies; they state no fact that needs a source. First lines of lists of headlines. */
export const { replies: REPLIES, leads: LEADS } = WORDINGS;
/** What precedes a list of titles to choose from, and a quotation from an article in the other language. */
export const { offer: OFFER, foreignSource: FOREIGN_SOURCE } = WORDINGS;

/** An answer that we are not sure of, shown as such. */
export function asUnsure<A extends { readonly text: string }>(answer: A, lang: Language) {
  return { ...answer, text: `${WORDINGS.unsure[lang]}\n${answer.text}`, outcome: "unsure" as const };
}
