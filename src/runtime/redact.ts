/** What stands in a text for what was taken out. */
const GONE = "[…]";
/** Shorter repeats are words of the language, not of the secret. */
const LEAST = 8;

/**
 * A text without what it repeats of another: for messages that others wrote about something that must not be logged.
 * Every run of at least eight characters that also stands in `secret` is taken out.
 */
export function redactEchoes(text: string, secret: string): string {
  let clean = "";
  let from = 0;
  while (from < text.length) {
    let length = LEAST;
    if (from + length > text.length || !secret.includes(text.slice(from, from + length))) {
      clean += text.charAt(from);
      from++;
      continue;
    }
    while (from + length < text.length && secret.includes(text.slice(from, from + length + 1))) length++;
    clean += GONE;
    from += length;
  }
  return clean;
}
