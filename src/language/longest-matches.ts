/** Finds the known words of a Chinese run by greedy longest match from the left: "手续费" does not contain "续费".
 * @param longest length of the longest known word, in characters */
export function* longestMatches(run: string, known: Pick<ReadonlySet<string>, "has">, longest: number) {
  for (let at = 0; at < run.length;) {
    let length = Math.min(longest, run.length - at);
    while (length > 0 && !known.has(run.slice(at, at + length))) length--;
    if (length > 0) yield { word: run.slice(at, at + length), at };
    at += Math.max(1, length);
  }
}

/** Splits a Chinese run into known words, by {@link longestMatches}, and the single characters between them. */
export function* wordsAndCharacters(run: string, known: Pick<ReadonlySet<string>, "has">, longest: number) {
  let end = 0;
  for (const { word, at } of longestMatches(run, known, longest)) {
    for (const character of run.slice(end, at)) yield { text: character, isWord: false };
    yield { text: word, isWord: true };
    end = at + word.length;
  }
  for (const character of run.slice(end)) yield { text: character, isWord: false };
}
