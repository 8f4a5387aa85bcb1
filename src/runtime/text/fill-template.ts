/** The values of the placeholders of a template, by their names. */
export type TemplateValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Replaces each `{name}` of a template by the value of that name. */
export const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replaceAll(/\{(\w+)\}/g, (_place, name: string) => String(values[name]));
