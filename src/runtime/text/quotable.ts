/** A headline as a question quotes it: without marks at its end, the quotation marks within it single. */
export function quotable(headline: string): string {
  const marks: Readonly<Record<string, string>> = { "“": "‘", "”": "’", '"': "'" };
  return headline.replace(/(?<![。.!！?？])[。.!！?？]+(?=[”"]?$)/u, "").replace(/[“”"]/g, (mark) => marks[mark]!);
}
