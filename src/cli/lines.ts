import { open } from "node:fs/promises";
import { UsageError } from "./exit.ts";

/**
 * The lines of a file, or of stdin for `-`, without their ends.
 *
 * @throws UsageError when the file cannot be read
 */
export async function openLines(file: string): Promise<AsyncIterable<string>> {
  if (file === "-") return linesOf(process.stdin);
  try {
    const handle = await open(file);
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw new Error("it is a folder");
    }
    return linesOf(handle.createReadStream());
  } catch (error) {
    throw new UsageError(`FILE ${file} cannot be read: ${(error as Error).message}.`);
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const lines = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
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
