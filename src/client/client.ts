import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { checkInput, type RawInput } from "../contract/check-input.ts";
import { ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import { systemRandom, type Random } from "../runtime/random.ts";
import { readUrl } from "./daemon-url.ts";
import { readEnvelope, type Success } from "./read-envelope.ts";
import { RemoteRefusal } from "./client-errors.ts";
import { hadNoEffect, isPassing, readRetryAfter, RETRY_POLICY, waitBefore, type RetryPolicy } from "./client-retry.ts";
import { createTransport, WireError, type WireRequest, type WireResponse } from "./transport.ts";

type Part<K extends OperationId, P extends "query" | "body"> =
  (typeof ENDPOINTS)[K] extends Record<P, infer S extends z.ZodType>
    ? Partial<z.input<S>> extends z.input<S>
      ? { readonly [N in P]?: z.input<S> }
      : { readonly [N in P]: z.input<S> }
    : { readonly [N in P]?: never };

/** What a call of an operation sends: the query and the body of its endpoint, fields with a default left to it. */
export type ClientInput<K extends OperationId> = Part<K, "query"> & Part<K, "body">;

/** How one call is made. */
export interface CallOptions {
  /** Makes a repeat of the call safe, on endpoints that know keys. The client makes one where none is given. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type ClientCall<K extends OperationId> =
  Partial<ClientInput<K>> extends ClientInput<K>
    ? (input?: ClientInput<K>, options?: CallOptions) => Promise<Success<K>>
    : (input: ClientInput<K>, options?: CallOptions) => Promise<Success<K>>;

/** A daemon's interface: one function an endpoint, typed by the contract's table. */
export type Client = { readonly [K in OperationId]: ClientCall<K> } & {
  /**
   * Calls an operation by its name, with input of any shape.
   *
   * @throws AnpError 422 before anything is sent, with every fault of the input
   * @throws RemoteRefusal, UnreachableError, ContractViolation
   */
  readonly call: <K extends OperationId>(id: K, input: RawInput, options?: CallOptions) => Promise<Success<K>>;
  /** Closes the kept connections. */
  readonly close: () => void;
};

/** How a client reaches its daemon. */
export interface ClientSettings {
  /** Where the daemon is; a path in it goes before those of the endpoints. */
  readonly url: string;
  /** The user's token; sent to the endpoints that look at one. */
  readonly token?: string | undefined;
  readonly retry?: RetryPolicy;
  /** How long one sending may take, ms; by operation when left out. */
  readonly timeout_ms?: number;
  readonly userAgent?: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** How long one sending may take, ms. A model may be asked more than once for an answer; a full refresh reads the world. */
const TIMEOUTS = { GET: 10_000, POST: 30_000, sendChat: 180_000, refreshNews: 900_000 } as const;

function timeoutOf(id: OperationId): number {
  return id === "sendChat" || id === "refreshNews" ? TIMEOUTS[id] : TIMEOUTS[ENDPOINTS[id].method];
}

/**
 * A client of a daemon, made of the contract: requests are checked before they are sent, answers when they come.
 * Sent again, with growing waits and Retry-After honoured, is only what cannot happen twice: reads, POSTs under an
 * Idempotency-Key, and what certainly never arrived.
 *
 * @throws RangeError for a URL that is not an http or https one, or a token that no header carries
 */
export function createClient(settings: ClientSettings): Client {
  const { token, retry = RETRY_POLICY, clock = systemClock, random = systemRandom } = settings;
  const base = readUrl(settings.url);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new RangeError("The token must be printable ASCII without spaces.");
  }
  const transport = createTransport();

  async function call<K extends OperationId>(id: K, input: RawInput, options: CallOptions = {}): Promise<Success<K>> {
    checkInput(id, input);
    const endpoint: Endpoint = ENDPOINTS[id];
    const key = endpoint.idempotent === true ? (options.idempotencyKey ?? newKey()) : undefined;
    const request: WireRequest = {
      method: endpoint.method,
      url: urlOf(endpoint, input.query),
      headers: headersOf(endpoint, key),
      ...(endpoint.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      timeout_ms: settings.timeout_ms ?? timeoutOf(id),
      signal: options.signal,
    };
    const repeatable = endpoint.method === "GET" || key !== undefined;
    const { data, request_id, replayed } = await sendOften(id, request, repeatable);
    // Under a key of our own, an earlier call can only be an earlier sending of this one.
    return { data, request_id, replayed: replayed && options.idempotencyKey !== undefined };
  }

  async function sendOften<K extends OperationId>(
    id: K,
    request: WireRequest,
    repeatable: boolean,
  ): Promise<Success<K>> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await sendOnce(id, request);
      if ("success" in outcome) return outcome.success;
      const again = outcome.passing && (repeatable || !outcome.effect);
      const wait = again ? waitBefore(attempt, outcome.retryAfter_ms, retry, random) : undefined;
      if (wait === undefined) throw outcome.error;
      await delay(wait, undefined, { signal: request.signal });
    }
  }

  async function sendOnce<K extends OperationId>(id: K, request: WireRequest): Promise<Sent<K>> {
    let response: WireResponse;
    try {
      response = await transport.send(request);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return { error, passing: true, effect: error.sent };
    }
    try {
      return { success: readEnvelope(id, response, request.url.origin) };
    } catch (error) {
      const code = error instanceof RemoteRefusal ? error.code : undefined;
      const { status, headers } = response;
      return {
        error,
        passing: isPassing(status, code),
        effect: !hadNoEffect(status),
        retryAfter_ms: readRetryAfter(headers["retry-after"], clock.now()),
      };
    }
  }

  function urlOf({ path }: Endpoint, query: unknown): URL {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`;
    for (const [name, value] of Object.entries((query ?? {}) as Record<string, string | number | undefined>)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  function headersOf({ auth, body }: Endpoint, key: string | undefined): Record<string, string> {
    return {
      accept: "application/json",
      "user-agent": settings.userAgent ?? "anp",
      ...(auth === "none" || token === undefined ? {} : { "x-user-token": token }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
  }

  function newKey(): string {
    return `anp-${random.bytes(16).toString("hex")}`;
  }

  const calls = Object.fromEntries(
    (Object.keys(ENDPOINTS) as OperationId[]).map((id) => [
      id,
      (input: RawInput = {}, options?: CallOptions) => call(id, input, options),
    ]),
  ) as unknown as { readonly [K in OperationId]: ClientCall<K> };
  return {
    ...calls,
    call,
    close() {
      transport.close();
    },
  };
}

/** One sending: a success, or why not and whether another may do. */
type Sent<K extends OperationId> =
  | { readonly success: Success<K> }
  | {
      readonly error: unknown;
      /** The same may succeed later. */
      readonly passing: boolean;
      /** It may have had its effect. */
      readonly effect: boolean;
      readonly retryAfter_ms?: number | undefined;
    };
