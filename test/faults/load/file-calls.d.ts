/** A call on a file or a folder: "open file", "write file", "sync folder", "link", … */
export interface FileCall {
  readonly call: string;
  readonly path: string;
  /** What is written. */
  readonly data?: string;
}

/** How a call fails. */
export interface FileFault {
  readonly error: Error;
  /** Whether it is done all the same. */
  readonly runs: boolean;
  /** What is written then. */
  readonly data?: string | undefined;
}

/**
 * Asks before each call of the files driver whether it is to fail.
 *
 * @returns the way back
 */
export function interceptFileCalls(faultOf: (call: FileCall) => FileFault | undefined): () => void;
