import { parseJson } from "../../runtime/json/parse-json.ts";

/** A reply of an embeddings endpoint for `count` texts. `dimension`: that of earlier vectors, if any. */
export type VectorsReply = Readonly<{ bytes: Uint8Array; count: number; dimension?: number | undefined }>;
type Fields = Readonly<Record<string, unknown>> | null | undefined;

const STEPS = 32; // Byte value of a vector's root mean square; numbers are clipped at about four times that, 127.

/** The vectors in the order of the texts, quantized to int8 and normalized to about the same length, and the reported
 * tokens. Undefined if count, order or dimension differ, or if a vector is zero or not finite. */
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
