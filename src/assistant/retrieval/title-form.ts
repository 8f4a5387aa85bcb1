import { fold, stem } from "../../language/tokenize.ts";
import { patternsOf, rewriter } from "../../runtime/text/patterns.ts";
import PATTERNS from "./title-form-patterns.json" with { type: "json" };

const MAX_LENGTH = 120; // Of a text that may be a title, UTF-16 units.
const MIN = { words: 2, characters: 3 }; // In the form of a text: words, or Chinese characters.
const { openings, ...lists } = PATTERNS;
const open = rewriter(openings, "gu");
const IS = patternsOf(lists, "gu");

/** The form that a title shares with the plainest questions for its article, as `how deposit crypto` of "How to deposit
 * crypto" and "How do I deposit crypto?": what is asked (how, why, how long …; `what` for a bare title), then the words
 * without those that carry no meaning, stemmed. Undefined for a text with too few words, and for one about the caller's
 * own things that asks for no way to do something. */
export function titleForm(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const opened = open(fold(text));
  const [marked, asked = "what"] = /#(\w+)/.exec(opened) ?? [];
  if (/^(?:what|how\w+|is)$/.test(asked) && opened.search(IS.own) >= 0) return undefined;
  const rest = opened.replace(marked ?? "", " ").replace(IS.dropped, " ");
  const words = rest.match(/\p{Script=Han}|[^\p{Script=Han} ]+/gu) ?? [];
  const characters = words.filter((word) => /\p{Script=Han}/u.test(word)).length;
  const isLong = characters >= MIN.characters || words.length - characters + characters / 2 >= MIN.words;
  return isLong ? [asked, ...words.map(stem)].join(" ") : undefined;
}

/** The forms of a title, and of its first part if it names two things ("What fees are, and how to pay them"). */
export const formsOfTitle = (title: string): string[] =>
  Array.from(new Set([fold(title), fold(title).replace(IS.second, "")]), (part) => titleForm(part) ?? []).flat();
