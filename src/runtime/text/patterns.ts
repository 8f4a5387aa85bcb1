/** A text as an expression that matches it. */
export const literal = (text: string): string => text.replaceAll(/[$*+.?()[\]\\^{}|]/g, "\\$&");

/** The expressions of a data file `*-patterns.json`: each matches where any of its alternatives does. */
export function patternsOf<N extends string>(lists: Readonly<Record<N, readonly string[]>>, flags = "u") {
  const all = Object.entries<readonly string[]>(lists);
  const compiled = all.map(([name, any]) => [name, new RegExp(any.join("|"), flags)]);
  return Object.fromEntries(compiled) as Readonly<Record<N, RegExp>>;
}

/** Replaces what each expression of a data file matches, in order, by the text beside it. */
export function rewriter(pairs: readonly (readonly string[])[], flags: string): (text: string) => string {
  const rewrites = pairs.map(([pattern, text]) => [new RegExp(pattern!, flags), text!] as const);
  return (given) => rewrites.reduce((text, [pattern, written]) => text.replace(pattern, written), given);
}
