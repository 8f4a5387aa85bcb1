import { isIPv6 } from "node:net";
import type { H3Event } from "h3";
import type { z } from "zod";
import { ENDPOINTS, type Endpoint, type OperationId } from "../contract/endpoints.ts";
import { AnpError, type FieldError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import { findUnkept } from "../runtime/unkept-json.ts";
import type { Call } from "../service/operation.ts";
import type { Service } from "../service/service.ts";
import type { Cors } from "./cors.ts";
import { isUnavailable, type Handler } from "./request-wrapper.ts";
import type { ConcurrencyLimits, UserSlot } from "./concurrency-limits.ts";
import type { RateHeaders, RateLimits } from "./rate-limits.ts";
import type { LoadShedder } from "./load-shedder.ts";
import { allow, idempotencyKey, readQuery } from "./read-request.ts";
import { declaredBytes, readJson } from "./request-body.ts";
import { reusableSuccess, success } from "./respond.ts";

/** The dependencies that the operations of one app share. */
interface OperationContext {
  readonly service: Service;
  readonly logger: Logger;
  readonly cors: Cors | undefined;
  readonly inFlight: ConcurrencyLimits;
  readonly load: LoadShedder;
  readonly rates: RateLimits | undefined;
}

/**
 * Answers one operation of the contract. The order of the checks is part of the interface: method, load, token, rate
 * limit, body and its type, fields, then the service. Every await here adds to the time of each request.
 */
export function operationRoute(id: OperationId, context: OperationContext): Handler {
  const { cors, inFlight, load } = context;
  const endpoint: Endpoint = ENDPOINTS[id];
  return async (event, request_id) => {
    const preflight = cors?.preflight(event, endpoint.method);
    if (preflight !== undefined) return preflight;
    cors?.mark(event);
    allow(event.req, endpoint.method);
    inFlight.enter();
    // A request counts once its body is there: neither its token nor a body that stalls keeps others from running.
    let isRunning = endpoint.body === undefined;
    if (!isRunning) inFlight.leave();
    let slot: UserSlot | undefined;
    let end: (() => void) | undefined;
    try {
      const user = endpoint.auth === "none" ? undefined : await authenticate(event, endpoint, context);
      if (user !== undefined) slot = inFlight.enterAs(user);
      const counted = countRate(event, endpoint, user, context);
      const rateHeaders = counted instanceof Promise ? await counted : counted;
      const fieldErrors: FieldError[] = [];
      let body: unknown;
      if (endpoint.body !== undefined && slot !== undefined) {
        load.check(endpoint.rate, slot.running);
        const { value, text } = await receive(event, slot, context);
        body = value;
        if (endpoint.keeps_body === true) fieldErrors.push(...unkeptFields(endpoint.body, text));
        inFlight.enter();
        isRunning = true;
        end = load.begin(endpoint.rate, slot.running);
      }
      return await runOperation(id, event, { request_id, user, body, fieldErrors, rateHeaders }, context);
    } finally {
      end?.();
      if (slot !== undefined) inFlight.leaveAs(slot);
      if (isRunning) inFlight.leave();
    }
  };
}

/** Reads the body of a request. The user's slot is held meanwhile, so that a user can make only so many wait. */
async function receive(event: H3Event, slot: UserSlot, { service, inFlight }: OperationContext) {
  const { limits, server } = service.config;
  // A request that was made in process has its body in memory already.
  const unknown = event.runtime?.node === undefined ? 0 : limits.body_bytes;
  const bytes = Math.min(declaredBytes(event.req, unknown), limits.body_bytes);
  inFlight.receive(slot, bytes);
  try {
    return await readJson(event, { bytes: limits.body_bytes, ms: server.body_ms });
  } finally {
    inFlight.received(slot, bytes);
  }
}

/** The field errors of what would not be stored as it was sent. */
function unkeptFields({ shape }: z.ZodObject, text: string): FieldError[] {
  const unkept = findUnkept(text).filter(({ path: [name = ""] }) => Object.hasOwn(shape, name));
  return unkept.map(({ path, message }) => ({ in: "body", path: path.join("."), message }));
}

/** Headers of every answer of an operation, failures included. */
export function stabilityHeaders({ stability }: Endpoint): Record<string, string> {
  return stability === "experimental" ? { "x-stability": stability } : {};
}

/** The user of the token; undefined for an anonymous caller where the token is optional. */
async function authenticate(event: H3Event, endpoint: Endpoint, context: OperationContext) {
  const token = event.req.headers.get("x-user-token");
  try {
    const user = token === null ? undefined : await context.service.authenticate(token);
    if (user !== undefined || endpoint.auth === "optional") return user;
  } catch (error) {
    if (endpoint.auth === "required") throw error;
    // Where a token is optional, a caller whose token cannot be checked is served as anonymous.
    const isKnown = isUnavailable(error) || context.service.reportDamage(error);
    if (!isKnown) context.logger.error({ err: error }, "an optional token could not be checked");
    return undefined;
  }
  // A caller who guesses tokens is counted by address.
  await countRate(event, endpoint, undefined, context);
  throw new AnpError(401);
}

function countRate(
  event: H3Event,
  { rate }: Endpoint,
  user: string | undefined,
  { rates, service }: OperationContext,
): ReturnType<RateLimits["take"]> {
  if (rates === undefined) return undefined;
  const { trusted_proxies } = service.config.server;
  return rates.take(rate, user === undefined ? `address:${clientAddress(event.req, trusted_proxies)}` : `user:${user}`);
}

async function runOperation(
  id: OperationId,
  event: H3Event,
  caller: {
    readonly request_id: string;
    readonly user: string | undefined;
    readonly body: unknown;
    readonly fieldErrors: FieldError[];
    readonly rateHeaders: RateHeaders;
  },
  { service }: OperationContext,
): Promise<Response> {
  const { request_id, user, body, fieldErrors, rateHeaders } = caller;
  const endpoint: Endpoint = ENDPOINTS[id];
  const key = endpoint.idempotent === true ? idempotencyKey(event.req.headers, fieldErrors) : undefined;
  const query = readQuery(endpoint, event.url.search, fieldErrors);
  const call: Call = {
    request_id,
    ...(user !== undefined && { user }),
    ...(key !== undefined && { idempotency_key: key }),
    ...(id === "sendChat" ? { signal: event.req.signal } : {}),
  };
  const outcome = await service.run(id, call, { query, body, fieldErrors });
  const headers = {
    ...stabilityHeaders(endpoint),
    ...rateHeaders,
    ...(outcome.replayed === true ? { "idempotency-replayed": "true" } : {}),
  };
  const { max_age_s } = endpoint;
  if (max_age_s === undefined) return success(outcome.data, request_id, headers);
  const ifNoneMatch = event.req.headers.get("if-none-match");
  return reusableSuccess(outcome.data, request_id, { max_age_s, ifNoneMatch }, headers);
}

/** Where a request came from, as the outermost trusted proxy saw it: a caller can forge earlier X-Forwarded-For values. */
function clientAddress({ headers, ip = "unknown" }: H3Event["req"], trustedProxies: number): string {
  if (trustedProxies === 0) return countedAs(ip);
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return countedAs(hops.filter((hop) => hop !== "").at(-trustedProxies) ?? ip);
}

/** One text for a subscriber's whole /64 of IPv6. IPv4 may be mapped into IPv6, and some proxies add a changing port. */
function countedAs(address: string): string {
  const alone = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  const plain = alone.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.split("%", 1)[0]!.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}
