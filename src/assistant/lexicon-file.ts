import { ConfigError, readNamedFile } from "../config/config-errors.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import { parseRows } from "../runtime/text/data-rows.ts";

const MOST = { meanings: 5000, characters: 60 };

/** Reads an operator's lexicon: one meaning per line, with English and Chinese words: `top up, load | 充值, 充钱`.
 * @throws ConfigError when the file cannot be read, or with the meanings that are out of bounds */
export async function readLexicon(file: string): Promise<MeaningRows> {
  const rows = parseRows(await readNamedFile("assistant.lexicon", file));
  const faults = rows.flatMap((columns, at) => {
    const words = columns.flat();
    const where = `assistant.lexicon: meaning ${at + 1} of ${file}`;
    if (words.length < 2 || columns.length > 2)
      return [`${where} must be words of one meaning, at least two: english, words | 中文, 词`];
    const isLong = words.some((word) => word.length > MOST.characters);
    return isLong ? [`${where} has a word of more than ${MOST.characters} characters`] : [];
  });
  if (rows.length > MOST.meanings) faults.push(`assistant.lexicon: ${file} has more than ${MOST.meanings} meanings`);
  if (faults.length > 0) throw new ConfigError(faults.slice(0, 10));
  return rows;
}
