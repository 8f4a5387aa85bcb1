/** A text of at most so many characters: its beginning, or where `key` is in it. */
export function cut(text: string, most: number, key = ""): string {
  if (text.length <= most) return text;
  const from = Math.max(0, text.indexOf(key) - most / 4);
  const [before, after] = [from > 0 ? "…" : "", from + most < text.length ? "…" : ""];
  return `${before}${text.slice(from, from + most)}${after}`.toWellFormed();
}
