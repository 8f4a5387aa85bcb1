import type { OperationData, OperationId, OperationInput } from "../contract/endpoints.ts";
import type { AnswerExplanation } from "../assistant/assistant.ts";
import type { ModelCall } from "../assistant/model/model-call.ts";
import { AnpError } from "../contract/errors.ts";
import type { LedgerOperation } from "../ledger/ledger-idempotency.ts";
import type { Ids } from "../runtime/ids.ts";

export interface Call {
  readonly request_id: string;
  readonly user?: string; // The authenticated user; absent for an anonymous caller.
  readonly idempotency_key?: string; // From the Idempotency-Key header.
  readonly signal?: AbortSignal; // Aborted when the caller has disconnected.
  /** Receives the explanation of an answer, which no API shows; model calls are added as they are made. */
  readonly explain?: (explanation: AnswerExplanation & { readonly calls: readonly ModelCall[] }) => void;
}

export interface Outcome<K extends OperationId> {
  readonly data: OperationData<K>;
  readonly replayed?: boolean; // Whether this is the result of an earlier call with the same id.
  readonly pause_s?: number; // From a daemon: seconds until its rate limit allows a request.
}

/** One operation of the interface, on checked input. */
export type OperationHandler<K extends OperationId> = (call: Call, input: OperationInput<K>) => Promise<Outcome<K>>;

/** The user of a call that must have one. */
export function userOf(call: Call): string {
  if (call.user === undefined) throw new AnpError(401);
  return call.user;
}

/** The ledger operation of a call: its id is the idempotency key, or one made for this call. */
export function ledgerOperationOf(call: Call, ids: Ids, request: object): LedgerOperation {
  if (call.idempotency_key === undefined) return { id: `call:${ids.request()}`, request };
  return { id: `key:${call.idempotency_key}`, request, origin: { in: "header", path: "Idempotency-Key" } };
}
