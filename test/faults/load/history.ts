/** What a client asks of a server. */
export type Request =
  | { readonly kind: "chat"; readonly question: string; readonly session_id?: number }
  | { readonly kind: "exchange"; readonly token_amount: number }
  | {
      readonly kind: "trade_reward";
      readonly trade_type: "spot" | "futures";
      readonly volume_usd: number;
      readonly ref_id: string;
    }
  | { readonly kind: "adjust"; readonly delta: number; readonly reason: string }
  | { readonly kind: "points" }
  | { readonly kind: "ledger" };

/** A request in a user's name. `request_id` is its own alone; `key` may come again. */
export interface Asked {
  readonly user: string;
  readonly request_id: string;
  readonly key?: string;
  readonly request: Request;
}

/**
 * What a server said. `refused` is a refusal of the interface, by its code; `failed` is an answer that leaves open
 * whether the request took effect.
 */
export type Answer =
  | { readonly status: "done"; readonly data: Readonly<Record<string, unknown>>; readonly replayed: boolean }
  | { readonly status: "refused"; readonly code: number }
  | { readonly status: "failed"; readonly message: string };

/** One request and what came of it. Times are nanoseconds of the machine's monotonic clock, the same in all processes. */
export interface Call {
  /** The process that was asked. */
  readonly server: string;
  readonly asked: Asked;
  /** Before anything of it can have happened. */
  readonly from: number;
  /** After everything of it has happened; Infinity when no answer came. */
  readonly to: number;
  /** The server's clock at `from` and at `to`, in milliseconds since the epoch. */
  readonly clock: readonly [number, number];
  readonly answer: Answer | undefined;
}

/** Now, as {@link Call} counts. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint());
}

/** The name under which the ledger keeps the request; calls of the same name are one operation. Undefined for reads. */
export function operationName({ request, request_id, key }: Asked): string | undefined {
  switch (request.kind) {
    case "trade_reward":
      return `reward:${request.ref_id}`;
    case "points":
    case "ledger":
      return undefined;
    case "chat":
    case "exchange":
    case "adjust":
      return key === undefined ? `call:${request_id}` : `key:${key}`;
  }
}
