/** A path into a file's content. */
export type Path = readonly (string | number)[];

/** What is wrong with a file's content, and where. */
export interface FileIssue {
  readonly path: Path;
  /** Whether the key itself is wrong, or its value (the default). */
  readonly of?: "key" | "value";
  readonly message: string;
}
