import { memoized } from "../../runtime/cache/memoized.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PRIVATE from "../../runtime/text/private-patterns.json" with { type: "json" };
import { MIN_CONFIDENCE, type AnswerRequest } from "../answer.ts";
import type { Passage } from "../passage.ts";
import { isKind } from "../routing/router.ts";
import PATTERNS from "./solicitation-patterns.json" with { type: "json" };

const SOLICITS = Object.values(patternsOf({ ...PATTERNS, wallet: PRIVATE.walletHashOrKey }, "iu"));
/** Whether a text has a wallet address, a contact or a download, or asks for a secret, as scams do. */
const solicits = (text: string): boolean => SOLICITS.some((pattern) => pattern.test(text.normalize("NFKC")));
const readNews = memoized(({ title, text }: Passage) => ({ inTitle: solicits(title), inText: solicits(text) }), 10_000);

/** Whether the title of a passage may be shown. Feeds belong to third parties. */
export const isShowable = (one: Passage): boolean => one.kind !== "news" || !readNews(one).inTitle;
/** Whether a passage may be quoted. */
export const isQuotable = (one: Passage): boolean => isShowable(one) && (one.kind !== "news" || !readNews(one).inText);

/** Whether a question is about using the platform or the caller's account, which news never answers surely. */
export function isOfOperation({ question, routing: { route, confidence } }: AnswerRequest): boolean {
  const isOfNews = isKind("news", question) || isKind("notice", question) || isKind("past", question);
  return isKind("operation", question) || (route === "help" && confidence >= MIN_CONFIDENCE && !isOfNews);
}
