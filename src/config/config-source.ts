/** The source of a configuration value. */
export type ConfigSource =
  | { readonly kind: "flag" }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "fixture" }
  | { readonly kind: "default" };

/** The source of a value in a few words. */
export function describeSource(source: ConfigSource): string {
  if (source.kind === "environment") return `environment ${source.variable}`;
  if (source.kind === "file") return `file ${source.file}`;
  return source.kind;
}
