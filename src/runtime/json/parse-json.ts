/** The value of a JSON text, or the parse error for any other text. */
export function parseOrError(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  const value = parseOrError(text);
  return value instanceof Error ? undefined : value;
}
