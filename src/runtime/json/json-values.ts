/** Whether a value has named fields: it is neither null nor an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The elements of an array or the fields of an object, with their keys; none of a scalar. */
export const itemsOf = (value: unknown): [key: string | number, item: unknown][] =>
  Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];

/** A value with each of its elements or fields replaced; a scalar is unchanged. */
export function mapItems(value: unknown, replace: (item: unknown, key: string | number) => unknown): unknown {
  if (Array.isArray(value)) return value.map(replace);
  return isRecord(value) ? Object.fromEntries(itemsOf(value).map(([key, item]) => [key, replace(item, key)])) : value;
}
