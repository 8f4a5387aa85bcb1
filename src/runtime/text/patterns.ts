/** A text as an expression that matches it. */
export const literal = (text: string): string => text.replaceAll(/[$*+.?()[\]\\^{}|]/g, "\\$&");

/** The expressions of a data file `*-patterns.json`: each matches where any of its alternatives does. */
export function patternsOf<N extends string>(lists: Readonly<Record<N, readonly string[]>>, flags = "u") {
  const all = Object.entries<readonly string[]>(lists);
  const compiled = all.map(([name, any]) => [name, new RegExp(any.join("|"), flags)]);
  return Object.fromEntries(compiled) as Readonly<Record<N, RegExp>>;
}
