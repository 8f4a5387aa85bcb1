import { parseJson } from "../../runtime/json/parse-json.ts";

/** A reply of an embeddings endpoint, for so many texts. `dimension`: that of the vectors before, if any. */
export type VectorsReply = Readonly<{ bytes: Uint8Array; count: number; dimension?: number | undefined }>;
type Fields = Readonly<Record<string, unknown>> | null | undefined;

const STEPS = 32; // Of a byte, in the root mean square of a vector's numbers: 127 are four of those.

/** The directions of the vectors in the order of the texts, a byte a number and all of about the same length; and the
 * tokens that the reply reports. Undefined for another count, order or dimension, and for what is no direction. */
export function readVectors({ bytes, count, dimension }: VectorsReply) {
  const reply = parseJson(Buffer.from(bytes).toString()) as Fields;
  const data = Array.isArray(reply?.["data"]) ? (reply["data"] as readonly Fields[]) : [];
  let length = dimension;
  const vectors = data.flatMap((item, at): Int8Array[] => {
    const values = item?.["index"] === at ? item["embedding"] : undefined;
    if (!Array.isArray(values) || values.length !== (length ??= values.length)) return [];
    const numbers = Float64Array.from(values, (value) => (typeof value === "number" ? value : NaN));
    const unit = STEPS / Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0) / length);
    if (!(unit > 0 && unit < Infinity)) return []; // Not for NaN either.
    return [Int8Array.from(numbers, (value) => Math.max(-127, Math.min(127, Math.round(value * unit))))];
  });
  const tokens = (reply?.["usage"] as Fields)?.["prompt_tokens"];
  return vectors.length === count ? { vectors, tokens: Number.isSafeInteger(tokens) ? Number(tokens) : 0 } : undefined;
}
