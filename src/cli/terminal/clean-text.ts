// Control characters other than line ends and tabs, and the marks that change the direction of text.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes from foreign text what could move a terminal's cursor or reverse its text; line ends and tabs stay. */
export function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HARMFUL, "");
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}
