import type { H3Event } from "h3";
import { ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError, type FieldError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Call } from "../service/operation.ts";
import type { Service } from "../service/service.ts";
import { isOutage } from "../storage/storage-errors.ts";
import { clientAddress } from "./client-address.ts";
import type { Cors } from "./cors.ts";
import type { Handler } from "./error-handler.ts";
import type { ConcurrencyLimits, UserSlot } from "./concurrency-limits.ts";
import type { RateLimits } from "./rate-limits.ts";
import { allow, idempotencyKey, readJson, readQuery } from "./read-request.ts";
import { success } from "./respond.ts";

/** The dependencies that the operations of one app share. */
export interface OperationContext {
  readonly service: Service;
  readonly logger: Logger;
  readonly cors: Cors | undefined;
  readonly inFlight: ConcurrencyLimits;
  readonly rates: RateLimits | undefined;
}

/**
 * Answers one operation of the contract. The order of the checks is part of the interface: method, load, token, rate
 * limit, body and its type, fields, then the service. Every await here adds to the time of each request.
 */
export function operationRoute(id: OperationId, context: OperationContext): Handler {
  const { cors, inFlight } = context;
  const endpoint: Endpoint = ENDPOINTS[id];
  return async (event, request_id) => {
    const preflight = cors?.preflight(event, endpoint.method);
    if (preflight !== undefined) return preflight;
    cors?.mark(event);
    allow(event.req, endpoint.method);
    inFlight.enter();
    let slot: UserSlot | undefined;
    try {
      const user = endpoint.auth === "none" ? undefined : await authenticate(event, endpoint, context);
      if (user !== undefined) slot = inFlight.enterAs(user);
      const rateHeaders = context.rates === undefined ? undefined : await countRate(event, endpoint, user, context);
      return await runOperation(id, event, { request_id, user, rateHeaders }, context);
    } finally {
      if (slot !== undefined) inFlight.leaveAs(slot);
      inFlight.leave();
    }
  };
}

/** Headers of every answer of an operation, failures included. */
export function stabilityHeaders({ stability }: Endpoint): Record<string, string> {
  return stability === "experimental" ? { "x-stability": stability } : {};
}

/** The user of the token; undefined for an anonymous caller where the token is optional. */
async function authenticate(
  event: H3Event,
  endpoint: Endpoint,
  context: OperationContext,
): Promise<string | undefined> {
  const token = event.req.headers.get("x-user-token");
  try {
    const user = token === null ? undefined : await context.service.authenticate(token);
    if (user !== undefined || endpoint.auth === "optional") return user;
  } catch (error) {
    if (endpoint.auth === "required") throw error;
    // Where a token is optional, a caller whose token cannot be checked is served as anonymous.
    if (!isOutage(error)) context.logger.error({ err: error }, "an optional token could not be checked");
    return undefined;
  }
  // A caller who guesses tokens is counted by address.
  await countRate(event, endpoint, undefined, context);
  throw new AnpError(401);
}

/** Counts the request for its user, or without one for its address. */
function countRate(
  event: H3Event,
  { rate }: Endpoint,
  user: string | undefined,
  { rates, service }: OperationContext,
): Promise<Record<string, string>> | undefined {
  if (rates === undefined) return undefined;
  const { trusted_proxies } = service.config.server;
  return rates.take(rate, user === undefined ? `address:${clientAddress(event.req, trusted_proxies)}` : `user:${user}`);
}

/** Reads the input of an operation, runs it, and puts its result into the envelope. */
async function runOperation(
  id: OperationId,
  event: H3Event,
  caller: {
    readonly request_id: string;
    readonly user: string | undefined;
    readonly rateHeaders: Record<string, string> | undefined;
  },
  { service }: OperationContext,
): Promise<Response> {
  const { request_id, user, rateHeaders } = caller;
  const endpoint: Endpoint = ENDPOINTS[id];
  const body = endpoint.body === undefined ? undefined : await readJson(event.req, service.config.limits.body_bytes);
  const fieldErrors: FieldError[] = [];
  const key = endpoint.idempotent === true ? idempotencyKey(event.req.headers, fieldErrors) : undefined;
  const query = readQuery(endpoint, event.url.search, fieldErrors);
  const call: Call = {
    request_id,
    ...(user === undefined ? {} : { user }),
    ...(key === undefined ? {} : { idempotency_key: key }),
    ...(id === "sendChat" ? { signal: event.req.signal } : {}),
  };
  const outcome = await service.run(id, call, { query, body, fieldErrors });
  return success(outcome.data, request_id, {
    ...stabilityHeaders(endpoint),
    ...rateHeaders,
    ...(outcome.replayed === true ? { "idempotency-replayed": "true" } : {}),
  });
}
