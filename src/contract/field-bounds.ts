import BOUNDS from "./field-bounds.json" with { type: "json" };

/** Bounds of the API's fields. Lengths are in Unicode code points, sizes in bytes; `integer` is the largest count. */
export const LIMITS = { ...BOUNDS, integer: Number.MAX_SAFE_INTEGER };
