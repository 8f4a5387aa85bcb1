type Body = AsyncIterable<Uint8Array> | ReadableStream | null;

/** All bytes of a body, which is cancelled when there are more than `most`: they are counted as they arrive, after
 * decompression, since a declared length cannot be trusted.
 * @param tooLarge makes the error that is thrown then */
export async function readBytes(body: Body, most: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
