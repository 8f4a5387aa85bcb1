import { within } from "../within.ts";

const PATIENCE_MS = 100; // How long a caller waits for what is new, ms.

/** Makes a result of each new source, once. While that takes long, callers get the result before; so they do when it
 * fails, and the next caller tries again. Without a result before, they wait.
 * @param isSame whether nothing has to be made, because the source is the last one */
export function staleWhileRevalidate<S, T>(make: (of: S) => Promise<T>, isSame: (a: S, b: S) => boolean = Object.is) {
  let last: { readonly source: S; readonly made: Promise<T> } | undefined;
  let before: { readonly result: T } | undefined;

  function begin(source: S): Promise<T> {
    const mine = { source, made: make(source) };
    last = mine;
    mine.made.then(
      (result) => (before = { result }),
      () => {
        if (last === mine) last = undefined;
      },
    );
    return mine.made;
  }

  /** @param isPatient whether to wait for what is new, however long that takes */
  return (source: S, isPatient = false): Promise<T> => {
    const made = last !== undefined && isSame(last.source, source) ? last.made : begin(source);
    if (before === undefined || isPatient) return made;
    const { result } = before;
    const stale = (): T => result;
    return within(made.catch(stale), PATIENCE_MS, stale);
  };
}
