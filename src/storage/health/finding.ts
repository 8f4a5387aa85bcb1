import { fillTemplate, type TemplateValues } from "../../runtime/text/fill-template.ts";

/** One thing that an operator should know about a storage, or about what else a daemon needs. */
export interface Finding {
  readonly level: "ok" | "warning" | "error"; // As it should be; works, but not as well as it could; does not work.
  readonly subject: string; // What was examined, as `appendfsync`.
  readonly message: string;
  readonly loses?: string; // What acknowledged data may be lost, and when. Absent when none.
  readonly remedy?: string;
  readonly unusable?: true; // With the level `error`: a daemon must not start on it.
  readonly unreachable?: true; // With the level `error`: an external service does not answer.
}

/** Makes findings from the templates of a data file, by name and the values of their placeholders. */
export function findingsOf<Name extends string>(templates: Readonly<Record<Name, object>>) {
  return (name: Name, values: TemplateValues = {}): Finding => {
    const fields = Object.entries(templates[name]).map(([field, text]: [string, unknown]) => {
      return [field, typeof text === "string" ? fillTemplate(text, values) : text];
    });
    return Object.fromEntries(fields) as Finding;
  };
}
