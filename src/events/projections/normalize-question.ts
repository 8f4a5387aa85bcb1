/** Apostrophes stand within words: "what's" and "whats" are one. */
const APOSTROPHE = /['’ʼ`´]/gu;
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;
/** A point or comma between digits is part of the number, `%` part of its meaning; other punctuation only separates. */
const PUNCTUATION = /(?<!\d)[.,]|[.,](?!\d)|(?![.,%])\p{P}/gu;
const SPACE = /\s+/gu;
/** Scripts written without spaces, where a space says nothing: "什么是 AI 积分" is "什么是AI积分". */
const SPACE_BY_HAN =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]) | (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/**
 * One spelling for questions that differ only in width, case, white space or punctuation. Empty when nothing is asked.
 */
export function normalizeQuestion(question: string): string {
  return question
    .normalize("NFKC")
    .replace(/\s/gu, " ")
    .replace(INVISIBLE, "")
    .toLowerCase()
    .replace(APOSTROPHE, "")
    .replace(PUNCTUATION, " ")
    .replace(SPACE, " ")
    .replace(SPACE_BY_HAN, "")
    .trim();
}

/** A question as it may be shown: in one line, without spaces at the ends. */
export function presentQuestion(question: string): string {
  return question.replace(SPACE, " ").replace(INVISIBLE, "").trim().toWellFormed();
}
