/** A quoted part with its end, an escaped character, white space, or another character. */
const PART = /'([^']*)('?)|"((?:\\[^]|[^"])*)("?)|\\([^])|(\s)|([^])/g;

/** Splits a command line, up to the cursor, by the quoting rules of POSIX shells.
 * @param breaks characters that readline ends a word at: it takes `=` and `:` for breaks between words
 * @returns the words, without quotes, the one at the cursor last (an empty one where none was begun), and how many of its
 *   characters are kept before what readline replaces
 */
export function readBashLine(line: string, breaks: string): { words: string[]; kept: number } {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let isQuoted = false;
  for (const [, single, singleEnd, double, doubleEnd, escaped, blank, char = ""] of line.matchAll(PART)) {
    isQuoted = singleEnd === "" || doubleEnd === "";
    if (blank === undefined) {
      word = `${word ?? ""}${single ?? double?.replace(/\\([^])/g, "$1") ?? escaped ?? char}`;
      if (/[=:]/.test(char) && breaks.includes(char)) kept = word.length;
    } else {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    }
  }
  return { words: [...words, word ?? ""], kept: isQuoted ? 0 : kept };
}
