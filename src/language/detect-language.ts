/** The languages the news room knows. */
export const LANGUAGES = ["zh", "en"] as const;

export type Language = (typeof LANGUAGES)[number];

/** The nearest language we have for a tag: every Chinese (`zh-TW`, `cmn`, `yue`) is `zh`, all else `en`. */
export function nearestLanguage(tag: string): Language {
  return /^(zh|cmn|yue)\b/i.test(tag.trim().replace("_", "-")) ? "zh" : "en";
}

const HAN = /\p{Script=Han}/gu;
const LETTER = /\p{L}/gu;

/**
 * The language of a text by its script: Chinese when Han characters are at least a fifth of the letters (a Chinese
 * headline may be half Latin names), English otherwise; `fallback` when the text has no letter.
 */
export function detectLanguage(text: string, fallback: Language): Language {
  const letters = text.match(LETTER)?.length ?? 0;
  if (letters === 0) return fallback;
  const han = text.match(HAN)?.length ?? 0;
  return han / letters >= 0.2 ? "zh" : "en";
}
