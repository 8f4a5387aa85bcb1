import type { RefreshMode } from "../snapshot/snapshot-document.ts";

/** Refreshes of one process, one at a time. */
export interface RefreshQueue<T> {
  /** The result of the running refresh; of the next one where a full one is wanted while a light one runs. */
  refresh(mode: RefreshMode): Promise<T>;
  /** The result of the running refresh, or of one that is made only if no snapshot newer than `after` was published. */
  refreshAfter(after: number, mode: RefreshMode): Promise<T>;
}

export function createRefreshQueue<T>(run: (mode: RefreshMode, after?: number) => Promise<T>): RefreshQueue<T> {
  let running: { readonly mode: RefreshMode; readonly result: Promise<T> } | undefined;
  let next: Promise<T> | undefined;

  function start(mode: RefreshMode, after?: number): Promise<T> {
    const result = run(mode, after).finally(() => {
      running = undefined;
    });
    running = { mode, result };
    return result;
  }

  function refresh(mode: RefreshMode): Promise<T> {
    if (running === undefined) return start(mode);
    if (mode === "view" || running.mode === "full") return running.result;
    next ??= running.result
      .catch(() => undefined)
      .then(() => start("full"))
      .finally(() => {
        next = undefined;
      });
    return next;
  }

  return {
    refresh,
    refreshAfter: (after, mode) => (running === undefined ? start(mode, after) : refresh(mode)),
  };
}
