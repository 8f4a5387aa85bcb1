/** Bounds of the API's fields. Lengths are in Unicode code points, sizes in bytes. */
export const LIMITS = {
  question: 2000,
  pageContext: 64,
  tokenSymbol: 16,
  scene: 32,
  lang: 32,
  eventType: { min: 2, max: 64 },
  label: 64,
  refId: 128,
  userId: 128,
  idempotencyKey: 128,
  token: 4096,
  requestBody: 128 * 1024,
  eventPayload: { depth: 16, bytes: 16 * 1024 },
  /** Largest count: 2^53 - 1. */
  integer: Number.MAX_SAFE_INTEGER,
} as const;
