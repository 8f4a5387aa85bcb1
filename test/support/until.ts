/** Asks until the answer is given, and fails with `what` when that takes too long. Times are ms. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  { within = 60_000, every = 20 }: { readonly within?: number; readonly every?: number } = {},
): Promise<T> {
  const deadline = performance.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`It took longer than ${within} ms until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
