import { withTimeout } from "../with-timeout.ts";

const PATIENCE_MS = 100; // How long a caller waits for a new result, ms.

/** Makes one result per new source. While that takes long, or if it fails, callers get the previous result; after a
 * failure the next caller retries. Without a previous result, callers wait.
 * @param isSame whether the source is the same as the last one, so that its result is used */
export function staleWhileRevalidate<S, T>(make: (of: S) => Promise<T>, isSame: (a: S, b: S) => boolean = Object.is) {
  let last: { readonly source: S; readonly made: Promise<T> } | undefined;
  let before: { readonly result: T; readonly number: number } | undefined; // The newest one, not the last to finish.
  let begun = 0;

  function begin(source: S): Promise<T> {
    const mine = { source, made: make(source) };
    const number = ++begun;
    last = mine;
    mine.made.then(
      (result) => {
        if (number > (before?.number ?? 0)) before = { result, number };
      },
      () => {
        if (last === mine) last = undefined;
      },
    );
    return mine.made;
  }

  /** @param isPatient whether to wait for the new result, however long that takes */
  return (source: S, isPatient = false): Promise<T> => {
    const made = last !== undefined && isSame(last.source, source) ? last.made : begin(source);
    if (before === undefined || isPatient) return made;
    const { result } = before;
    const stale = (): T => result;
    return withTimeout(made.catch(stale), PATIENCE_MS, stale);
  };
}
