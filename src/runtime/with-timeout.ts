/** The result of a promise if it comes within `ms`, else that of `late`. */
export function withTimeout<T>(result: Promise<T>, ms: number, late: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([result, over.then(late)]).finally(() => clearTimeout(timer));
}
