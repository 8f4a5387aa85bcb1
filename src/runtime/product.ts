/** The scalar product of two vectors: proportional to their cosine where all have about the same length. */
export function product(a: Int8Array | Float32Array, b: Int8Array | Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
