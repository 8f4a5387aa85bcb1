import { createHash } from "node:crypto";

/** Lines of an export are not what was written: cut off, changed, or of something else. */
export class ChecksumError extends Error {
  override readonly name = "ChecksumError";
}

const VERSION = 1;

/**
 * Puts lines between a first one that tells what they are and a last one with their number and their SHA-256, so that a
 * reader notices when the end is missing or a byte is another one.
 *
 * @param kind what the lines are, as `ledger`
 * @param created_at ISO 8601
 */
export async function* checksummed(
  kind: string,
  created_at: string,
  lines: AsyncIterable<string>,
): AsyncGenerator<string> {
  const digest = createHash("sha256");
  const head = JSON.stringify({ anp_export: kind, version: VERSION, created_at });
  digest.update(`${head}\n`);
  yield head;
  let count = 0;
  for await (const line of lines) {
    count += 1;
    digest.update(`${line}\n`);
    yield line;
  }
  yield JSON.stringify({ anp_export_end: { lines: count, sha256: digest.digest("hex") } });
}

/** A line between the first and the last, with its number in the input, from 1. */
export interface ChecksummedLine {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines between. Each is given once the next has arrived, so that none is half a line; the digest is known only
 * after the last of them.
 *
 * @throws ChecksumError
 */
export async function* verifyChecksum(kind: string, lines: AsyncIterable<string>): AsyncGenerator<ChecksummedLine> {
  const digest = createHash("sha256");
  let number = 0;
  let held: string | undefined;
  for await (const line of lines) {
    if (held !== undefined) {
      number += 1;
      digest.update(`${held}\n`);
      if (number === 1) checkHead(kind, held);
      else yield { number, text: held };
    }
    held = line;
  }
  if (held === undefined)
    throw new ChecksumError(`The input is empty: an export of \`anp ${kind} export\` is expected.`);
  const end = fieldOf(held, "anp_export_end") as { lines: number; sha256: string } | null | undefined;
  if (end === undefined) {
    if (number === 0) checkHead(kind, held);
    throw new ChecksumError(
      `The input was cut off: it ends in line ${number + 1}, without the last line of an export.`,
    );
  }
  if (number === 0 || end?.lines !== number - 1 || end.sha256 !== digest.digest("hex")) {
    throw new ChecksumError(
      `The input is not what was exported: its ${number} lines do not have the digest of the last.`,
    );
  }
}

function checkHead(kind: string, line: string): void {
  const found = fieldOf(line, "anp_export");
  if (found !== kind) throw new ChecksumError(`The input is no export of \`anp ${kind} export\`.`);
  if (fieldOf(line, "version") !== VERSION)
    throw new ChecksumError("The input was exported by a newer version of anp.");
}

function fieldOf(line: string, name: string): unknown {
  try {
    return (JSON.parse(line) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}
