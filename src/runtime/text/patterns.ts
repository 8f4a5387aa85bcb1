/** Escapes a text for use in a regular expression. */
export const literal = (text: string): string => text.replaceAll(/[$*+.?()[\]\\^{}|]/g, "\\$&");

/** The expressions of a data file `*-patterns.json`: each matches where any of its alternatives does. */
export function patternsOf<N extends string>(lists: Readonly<Record<N, readonly string[]>>, flags = "u") {
  const all = Object.entries<readonly string[]>(lists);
  const compiled = all.map(([name, any]) => [name, new RegExp(any.join("|"), flags)]);
  return Object.fromEntries(compiled) as Readonly<Record<N, RegExp>>;
}

/** Returns a function that applies the replacements of a data file (pattern, text) in order. */
export function rewriter(pairs: readonly (readonly string[])[], flags: string): (text: string) => string {
  const rewrites = pairs.map(([pattern, text]) => [new RegExp(pattern!, flags), text!] as const);
  return (given) => rewrites.reduce((text, [pattern, written]) => text.replace(pattern, written), given);
}
