/** A call on a file or a folder: "open file", "write file", "sync folder", "link", … */
export interface FileCall {
  readonly call: string;
  readonly path: string;
  /** What is written. */
  readonly data?: string;
}

/**
 * Sends what the files driver does to files through `around`, which may wait, fail or change what is written.
 *
 * @returns the way back
 */
export function interceptFileCalls(
  around: <T>(call: FileCall, run: (data?: string) => Promise<T>) => Promise<T>,
): () => void;
