/** One thing that an operator should know about a storage, or about what else a daemon needs. */
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
  /** With the level `error`: a daemon must not start on it. */
  readonly unusable?: true;
  /** With the level `error`: an external service does not answer. */
  readonly unreachable?: true;
}

export function ok(subject: string, message: string): Finding {
  return { level: "ok", subject, message };
}

/** @param loses what acknowledged data may be lost, and when */
export function warning(subject: string, message: string, remedy: string, loses?: string): Finding {
  return { level: "warning", subject, message, ...(loses !== undefined && { loses }), remedy };
}

export function failed(subject: string, message: string, remedy: string): Finding {
  return { level: "error", subject, message, remedy };
}

/** An error: something does not answer. */
export function unreachable(subject: string, message: string, remedy: string): Finding {
  return { ...failed(subject, message, remedy), unreachable: true };
}
