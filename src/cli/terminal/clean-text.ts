// Control characters but line ends and tabs, and the marks that turn the direction of what follows.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others without what could move a terminal's cursor or turn its text around; line ends and tabs stay. */
export function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HARMFUL, "");
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}
