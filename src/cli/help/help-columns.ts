const WIDTH = 100;

/** Rows of a name and its meaning, in two aligned columns, wrapped before column 100. */
export function twoColumns(rows: readonly (readonly [name: string, meaning: string])[]): string {
  const indent = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.flatMap(([name, meaning]) =>
    wrapped(meaning, WIDTH - indent).map((part, index) => `${(index === 0 ? name : "").padEnd(indent)}${part}`),
  );
  return `${lines.join("\n")}\n`;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
