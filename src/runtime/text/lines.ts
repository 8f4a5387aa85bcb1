/** The lines of a text that comes in parts, in UTF-8, without their ends. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    for (const end of lines.slice(0, -1)) {
      const line = parts.join("") + end;
      parts = [];
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    parts.push(lines.at(-1)!);
  }
  const rest = parts.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
