/** English words that carry no topic. */
const STOP = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can could did do does doing down during each few for from further get gets had has have having he her here hers
  him his how i if in into is it its itself just me more most my no nor not now of off on once only or other our out over
  own s same she should so some such t than that the their them then there these they this those through to too under
  until up us very was we were what when where which while who whom why will with would you your says said say new amid`.split(
    /\s+/,
  ),
);

/** The terms of a text with their counts: English words, pairs of Han characters, numbers. */
export function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>();
  const note = (term: string): void => {
    terms.set(term, (terms.get(term) ?? 0) + 1);
  };
  const folded = text.normalize("NFKC").toLowerCase();
  for (const [run] of folded.matchAll(/\p{Script=Han}+|[\p{L}\d]+(?:[.,]\d+)*/gu)) {
    if (/^\p{Script=Han}/u.test(run)) {
      for (let at = 0; at + 1 < run.length; at++) note(run.slice(at, at + 2));
    } else if (!STOP.has(run)) note(run.replace(/(?<=[a-z]{3})s$/, ""));
  }
  return terms;
}
