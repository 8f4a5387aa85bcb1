import { escapeCharacter } from "../../runtime/text/escape-character.ts";

// Control characters other than line ends and tabs, and the marks that change the direction of text.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;
// The same, but for the colours that `Terminal.paint` makes: others may hide text.
const UNPAINTED = /(\u001b\[(?:[12]|22|3[129])m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;
/** Writes what could move a terminal's cursor or reverse its text as `\uXXXX`: JSON stays the same JSON. */
export const escapeForTerminal = (text: string): string => text.replace(HARMFUL, escapeCharacter);

/** The same, but for the colours of `Terminal.paint`. */
export const escapeUnpainted = (text: string): string =>
  text.replace(UNPAINTED, (found, colour?: string) => colour ?? escapeCharacter(found));

/** Removes from foreign text what could move a terminal's cursor or reverse its text; line ends and tabs stay. */
export const cleanText = (text: string): string => text.replaceAll("\r\n", "\n").replace(HARMFUL, "");
/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();
