import { randomUUID } from "node:crypto";
import { open, unlink, writeFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { linesOf } from "../../runtime/text/lines.ts";
import type { CommandIo } from "../framework/command-io.ts";
import { CommandFailure, EXIT, UsageError } from "../framework/command-failure.ts";

/** Opens a file, or stdin for `-`, to read its lines more than once: a pipe is first copied to a temporary file.
 * @throws UsageError when the file cannot be read, CommandFailure when the temporary one cannot be written */
export async function openLines(file: string, io: CommandIo) {
  const input = file === "-" ? undefined : await openInput(file, io);
  const isFile = input?.stats.isFile() === true;
  const handle = isFile ? input.handle : await keep(input?.handle.createReadStream() ?? io.stdin, io);
  return {
    read: () => linesOf(handle.createReadStream({ start: 0, autoClose: false })), // Without their ends.
    close: () => handle.close(),
  };
}

/** Opens a file, or a pipe that has a path. @throws UsageError when it cannot be read */
export async function openInput(file: string, { cwd }: CommandIo) {
  let handle: FileHandle | undefined;
  try {
    handle = await open(resolve(cwd, file));
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error("it is a folder");
    return { handle, stats };
  } catch (error) {
    await handle?.close();
    throw new UsageError(`FILE ${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Copies to a file that is unlinked before the first byte is written: it disappears with the process in any case. */
async function keep(chunks: AsyncIterable<Uint8Array>, { env }: CommandIo): Promise<FileHandle> {
  const folder = env["TMPDIR"] || tmpdir();
  const path = join(folder, `anp-${randomUUID()}.tmp`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "wx+", 0o600);
    await unlink(path);
    await writeFile(handle, chunks);
    return handle;
  } catch (error) {
    await handle?.close();
    const failure = `The input cannot be kept in ${folder}: ${(error as Error).message}. Nothing was written.`;
    const remedy = "Set TMPDIR to a folder with room for all of it, or give it as a file.";
    throw new CommandFailure(EXIT.failure, `${failure} ${remedy}`);
  }
}
