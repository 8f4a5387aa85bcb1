import type { H3, H3Event } from "h3";
import { AnpError } from "../contract/errors.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLineLimit, createThrottle } from "../runtime/throttle.ts";
import type { Service } from "../service/service.ts";
import { CorruptionError, isOutage } from "../storage/storage.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Cors } from "./cors.ts";
import { allow, givenRequestId } from "./read-request.ts";
import { failure } from "./respond.ts";

export type RequestMeter = Pick<Metrics, "meterOf" | "refused">;
/** Answers one request; anything it throws becomes an envelope. */
export type Handler = (event: H3Event, request_id: string) => Promise<Response> | Response;

/** Runs a handler under a request id, turns anything it throws into an envelope, and logs and counts the outcome. */
export type RequestWrapper = ReturnType<typeof createRequestWrapper>;
/** For the errors of one route; `outage` is the code when the storage does not answer. */
type FailureOptions = { readonly headers?: Readonly<Record<string, string>>; readonly outage?: 500 | 503 };

const LOGGED_AS_COUNT: ReadonlySet<number> = new Set([429, 503]); // A line for each would flood the log.
const REFUSALS_EVERY_MS = 5000;
const DAMAGED = "Stored data that this request needs is damaged. Other requests are served; nothing was charged.";
const REPAIR = { "retry-after": "60" }; // No repair takes less than a minute.
const LOGGED_ERRORS: Readonly<Record<number, string>> = { 500: "internal error", 1007: "the model call failed" };

/** Mounts a page for GET and HEAD. @param name the name of its requests in metrics and logs */
export function mountPage(app: H3, path: string, wrap: RequestWrapper, name: string, read: Handler): void {
  const answer = wrap(name, (event, request_id) => {
    allow(event.req, "GET");
    return read(event, request_id);
  });
  app.all(path, answer);
}

type Needed = Pick<Service, "ids" | "reportDamage">;

export function createRequestWrapper({ ids, reportDamage }: Needed, logger: Logger, meter?: RequestMeter, cors?: Cors) {
  const counted = (message: string) => createThrottle(REFUSALS_EVERY_MS, (times) => logger.warn({ times }, message));
  const refused = counted("requests were refused: too many");
  const unlogged = counted("requests failed that are not logged one by one: too many");
  const hasRoom = createLineLimit();
  const mayLog = (): boolean => {
    const isLogged = hasRoom();
    if (!isLogged) unlogged.note();
    return isLogged;
  };

  return (operation: string, handler: Handler, { headers, outage = 503 }: FailureOptions = {}) => {
    const count = meter?.meterOf(operation);
    return async (event: H3Event): Promise<Response> => {
      const request_id = givenRequestId(event.req.headers) ?? ids.request();
      const started = performance.now();
      let response: Response;
      let code = 0;
      try {
        const { pathname } = event.url;
        // The router ignores a trailing slash; the contract has no path with one.
        if (pathname.endsWith("/") && pathname !== "/") throw new AnpError(404);
        response = await handler(event, request_id);
      } catch (error) {
        const known = toAnpError(error, outage);
        code = known.code;
        response = failure(known, request_id, { ...headers, ...cors?.headersFor(event.req.headers.get("origin")) });
        const { signal } = event.req;
        if (signal.aborted && error === signal.reason) {
          logger[mayLog() ? "info" : "debug"]({ request_id, operation }, "the caller has gone");
          return response;
        }
        const message = reportDamage(error) || isUnavailable(error) ? undefined : LOGGED_ERRORS[code];
        if (message !== undefined) logger.error({ err: error, request_id, operation }, message);
      }
      const ms = performance.now() - started;
      count?.(response.status, code, ms);
      if (code === 429) refused.note();
      const { status } = response;
      // A line for each success would cost more than the request.
      const level = status < 400 || LOGGED_AS_COUNT.has(status) || !mayLog() ? "debug" : "info";
      logger[level]({ request_id, operation, status, code, ms: Math.round(ms * 10) / 10 }, "request");
      return response;
    };
  };
}

function toAnpError(error: unknown, outage: 500 | 503): AnpError {
  if (error instanceof AnpError && (error.code !== 503 || outage === 503)) return error;
  if (error instanceof CorruptionError) return new AnpError(outage, DAMAGED, { cause: error, headers: REPAIR });
  return new AnpError(isUnavailable(error) ? outage : 500, undefined, { cause: error });
}

/** Whether a dependency does not answer: the storage, or the key set (JWKS) of tokens. Both log that themselves. */
export const isUnavailable = (error: unknown) => isOutage(error) || (error instanceof AnpError && error.code === 503);
