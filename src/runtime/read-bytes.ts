type Pause = (size: number) => Promise<void>;
type Body = AsyncIterable<Uint8Array> | ReadableStream | null;

/** All bytes of a body, counted after decompression, as no declared length can be trusted; past `most` it is cancelled.
 * @param tooLarge makes the error that is thrown then
 * @param pause waited for after each part, with the size by then */
export async function readBytes(body: Body, most: number, tooLarge: () => Error, pause?: Pause): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
    await pause?.(size);
  }
  return Buffer.concat(chunks);
}
