/** The rest of the lines that begin with a mark and a blank. */
export const markedLines = (lines: readonly string[], mark: string): string[] =>
  lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(mark.length + 1)] : []));
