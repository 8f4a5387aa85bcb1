import type { Answer, Asked } from "./history.ts";

/** An answer, and when the server worked on it, where the server knows that better than its client. */
export interface Reply {
  readonly answer: Answer;
  /** See {@link Call}. */
  readonly span?: { readonly from: number; readonly to: number; readonly clock: readonly [number, number] };
}

/** A process that serves requests on a storage shared with others. */
export interface Server {
  /** Unlike that of any other process, also of one started in its place. */
  readonly name: string;
  readonly pid: number;
  /** Whether it serves the operator's `adjust`. */
  readonly adjusts: boolean;
  /** Undefined when the process ended before it answered. */
  ask(asked: Asked): Promise<Reply | undefined>;
  /** Ends it by that signal and waits until it has gone. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}
