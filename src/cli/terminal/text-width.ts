const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/gu;

/** The columns that a text takes on a terminal, without its colours. */
export function widthOf(text: string): number {
  const bare = text.replace(/\u001b\[\d+m/g, "");
  return Array.from(bare).length + (bare.match(WIDE)?.length ?? 0);
}

/** The beginning of a text that fits, with an ellipsis where more follows. An outcome at its end stays, as `free use` of
 * `Answer (help/fees), free use`; a text with colours stays whole. @param columns of the terminal */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns || text.includes("\u001b")) return text;
  const outcome = /(?<=[)）](?:, |，))[^,，]+$/.exec(text)?.[0] ?? "";
  const kept = widthOf(outcome) < columns ? outcome : "";
  const characters = Array.from(text);
  let left = columns - 1 - widthOf(kept);
  const end = characters.findIndex((one) => (left -= widthOf(one)) < 0);
  return `${characters.slice(0, end).join("")}…${kept}`;
}
