/**
 * Splits a command line, up to the cursor, by the quoting rules of POSIX shells.
 *
 * @param breaks characters that readline ends a word at: it takes `=` and `:` for breaks between words
 * @returns the words, without quotes, the one at the cursor last (an empty one where none was begun), and how many of its
 *   characters are kept before what readline replaces
 */
export function readBashLine(line: string, breaks: string): { words: string[]; kept: number } {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quote === "'") {
      if (char === "'") quote = undefined;
      else word = `${word ?? ""}${char}`;
    } else if (char === "\\" && at + 1 < line.length) {
      at += 1;
      word = `${word ?? ""}${line[at]!}`;
    } else if (quote === '"') {
      if (char === '"') quote = undefined;
      else word = `${word ?? ""}${char}`;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    } else {
      word = `${word ?? ""}${char}`;
      if ("=:".includes(char) && breaks.includes(char)) kept = word.length;
    }
  }
  return { words: [...words, word ?? ""], kept: quote === undefined ? kept : 0 };
}
