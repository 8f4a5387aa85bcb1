/** What replaces the removed parts. */
const REPLACEMENT = "[…]";
/** Shorter repeats are ordinary words. */
const MIN_CHARACTERS = 8;

/**
 * Redacts the parts of a text that repeat a secret, for messages of other systems about input that must not be logged.
 * Every run of at least eight characters that also occurs in `secret` is replaced.
 */
export function redactEchoes(text: string, secret: string): string {
  let clean = "";
  let from = 0;
  while (from < text.length) {
    let length = MIN_CHARACTERS;
    if (from + length > text.length || !secret.includes(text.slice(from, from + length))) {
      clean += text.charAt(from);
      from++;
      continue;
    }
    while (from + length < text.length && secret.includes(text.slice(from, from + length + 1))) length++;
    clean += REPLACEMENT;
    from += length;
  }
  return clean;
}
