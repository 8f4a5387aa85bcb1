import { escapeCharacter } from "../../runtime/text/escape-character.ts";

// Control characters other than line ends and tabs, and the marks that change the direction of text.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;
// The same, except the colours of `Terminal.paint`: others may hide text.
const UNPAINTED = /(\u001b\[(?:[12]|22|3[129])m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;
/** Escapes control and bidi characters as `\uXXXX`, which leaves JSON equivalent. */
export const escapeForTerminal = (text: string): string => text.replace(HARMFUL, escapeCharacter);

/** The same, except the colours of `Terminal.paint`. */
export const escapeUnpainted = (text: string): string =>
  text.replace(UNPAINTED, (found, colour?: string) => colour ?? escapeCharacter(found));

/** Removes control and bidi characters from untrusted text, except line ends and tabs. */
export const cleanText = (text: string): string => text.replaceAll("\r\n", "\n").replace(HARMFUL, "");
/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();

/** An id with each character that cannot be seen as `\uXXXX`; of white space, only single spaces between words stay. */
export const showId = (id: string): string =>
  id.replace(/^ | $| (?= )|(?! )[\p{C}\p{Z}]/gu, (unseen) => unseen.replace(/[^]/g, escapeCharacter));
