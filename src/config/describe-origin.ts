/** The source of a configuration value. */
export type ConfigOrigin =
  | { readonly kind: "flag" }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "fixture" }
  | { readonly kind: "default" };

/** The source of a value in a few words. */
export function describeOrigin(source: ConfigOrigin): string {
  if (source.kind === "environment") return `environment ${source.variable}`;
  if (source.kind === "file") return `file ${source.file}`;
  return source.kind;
}
