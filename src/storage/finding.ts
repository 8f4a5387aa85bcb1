/** One thing that an operator should know about a storage. */
export interface Finding {
  /** `ok`: as it should be; `warning`: works, but not as well as it could; `error`: does not work. */
  readonly level: "ok" | "warning" | "error";
  /** What was examined, as `appendfsync`. */
  readonly subject: string;
  /** What was found, in a sentence. */
  readonly message: string;
  /** What acknowledged data may be lost, and when. Absent when none. */
  readonly loses?: string;
  /** The setting or step that fixes it. */
  readonly remedy?: string;
}
