type Pause = (size: number) => Promise<void>;
type Body = AsyncIterable<Uint8Array> | ReadableStream | null;

/** All bytes of a body, counted after decompression, as declared lengths may lie; over `max_bytes` it is cancelled.
 * @param tooLarge makes the error for that
 * @param pause awaited after each chunk, with the bytes so far */
export async function readBytes(body: Body, max_bytes: number, tooLarge: () => Error, pause?: Pause): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > max_bytes) throw tooLarge();
    chunks.push(chunk);
    await pause?.(size);
  }
  return Buffer.concat(chunks);
}
