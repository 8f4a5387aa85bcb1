/** A character, of one UTF-16 unit, as JSON and JavaScript escape it: `\u001b`. */
export const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
