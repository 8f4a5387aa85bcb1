import { createHash } from "node:crypto";
import { parseJson, parseOrError } from "../runtime/json/parse-json.ts";

/** The lines of an export are cut off, changed, or of another kind. */
export class ChecksumError extends Error {
  override readonly name = "ChecksumError";
}

const VERSION = 1;
type Lines = AsyncIterable<string | object>;

/** Frames lines with a header (their kind, as `ledger`) and a footer (their count and SHA-256) that reveals any change.
 * @param lines texts, or values to be written as JSON @param created_at ISO 8601
 * @param isComplete called after the last line: an incomplete export gets no footer */
export async function* checksummed(kind: string, created_at: string, lines: Lines, isComplete = (): boolean => true) {
  const digest = createHash("sha256");
  const header = JSON.stringify({ anp_export: kind, version: VERSION, created_at });
  digest.update(`${header}\n`);
  yield header;
  let count = 0;
  for await (const item of lines) {
    const line = typeof item === "string" ? item : JSON.stringify(item);
    count += 1;
    digest.update(`${line}\n`);
    yield line;
  }
  if (isComplete()) yield JSON.stringify({ anp_export_end: { lines: count, sha256: digest.digest("hex") } });
}

/** The values of the lines between header and footer, with their numbers in the input, from 1. Each is yielded once the
 * next line has arrived, so that a truncated line never is. The digest is checked after the last of them.
 * @throws ChecksumError, also for a line that is not JSON */
export async function* verifyChecksum(kind: string, lines: AsyncIterable<string>) {
  const digest = createHash("sha256");
  let number = 0;
  let held: string | undefined;
  for await (const line of lines) {
    if (held !== undefined) {
      number += 1;
      digest.update(`${held}\n`);
      const value = parseOrError(held);
      if (number === 1) checkHeader(kind, held);
      else if (value instanceof Error) throw new ChecksumError(`Line ${number}: ${value.message}.`);
      else yield { number, value };
    }
    held = line;
  }
  if (held === undefined)
    throw new ChecksumError(`The input is empty: an export of \`anp ${kind} export\` is expected.`);
  const footer = fieldOf(held, "anp_export_end") as { lines: number; sha256: string } | null | undefined;
  if (footer === undefined) {
    if (number === 0) checkHeader(kind, held);
    const end = `it ends in line ${number + 1}, without the last line of an export`;
    throw new ChecksumError(`The input was cut off: ${end}.`);
  }
  if (number === 0 || footer?.lines !== number - 1 || footer.sha256 !== digest.digest("hex")) {
    const reason = `the checksum in its last line does not match its ${number} lines`;
    throw new ChecksumError(`The input is not what was exported: ${reason}.`);
  }
}

function checkHeader(kind: string, line: string): void {
  const found = fieldOf(line, "anp_export");
  // The first two bytes of a gzip file (RFC 1952 §2.3.1), of which one is not UTF-8.
  const hint = line.startsWith("\u001f\ufffd") ? " It is gzip: use `gunzip < FILE | anp storage import -`." : "";
  if (found !== kind) throw new ChecksumError(`The input is not an export of \`anp ${kind} export\`.${hint}`);
  if (fieldOf(line, "version") !== VERSION)
    throw new ChecksumError("The input was exported by a newer version of anp.");
}

const fieldOf = (line: string, name: string) => (parseJson(line) as Record<string, unknown> | null | undefined)?.[name];
