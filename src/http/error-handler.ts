import type { H3Event } from "h3";
import { AnpError } from "../contract/errors.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import { createThrottle } from "../runtime/throttle.ts";
import { isOutage } from "../storage/storage-errors.ts";
import { givenRequestId } from "./read-request.ts";
import { failure } from "./respond.ts";

/** Counts responses. */
export interface RequestMeter {
  /**
   * Returns the function that counts an answer of the operation: HTTP status, code of the error catalogue (0 for a
   * success), and ms from the headers to the answer.
   */
  meterOf(operation: string): (status: number, code: number, ms: number) => void;
}

/** Answers one request; anything it throws becomes an envelope. */
export type Handler = (event: H3Event, request_id: string) => Promise<Response> | Response;

/** Settings for the failures of one route. */
export interface FailureOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The code for a storage that does not answer. */
  readonly outage?: 500 | 503;
}

/** Runs a handler under a request id, turns anything it throws into an envelope, and logs and counts the outcome. */
export type Answering = (
  name: string,
  handler: Handler,
  options?: FailureOptions,
) => (event: H3Event) => Promise<Response>;

/** Statuses that are logged as counts: one line per request would flood the log under load. */
const LOGGED_AS_COUNT: ReadonlySet<number> = new Set([429, 503]);

const REFUSALS_EVERY_MS = 5000;

export function createAnswering(deps: {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly meter?: RequestMeter | undefined;
}): Answering {
  const { ids, logger } = deps;
  const refused = createThrottle(REFUSALS_EVERY_MS, (times) => {
    logger.warn({ times }, "requests were refused: too many");
  });

  return (operation, handler, { headers, outage = 503 } = {}) => {
    const count = deps.meter?.meterOf(operation);
    return async (event) => {
      const request_id = givenRequestId(event.req.headers) ?? ids.request();
      const started = performance.now();
      let response: Response;
      let code = 0;
      try {
        response = await handler(event, request_id);
      } catch (error) {
        const known = toAnpError(error, outage);
        code = known.code;
        response = failure(known, request_id, headers);
        if (isCallerGone(event, error)) {
          logger.info({ request_id, operation }, "the caller has gone");
          return response;
        }
        logFailure(logger, error, { code, request_id, operation });
      }
      const ms = performance.now() - started;
      count?.(response.status, code, ms);
      if (code === 429) refused.note();
      logRequest(logger, { request_id, operation, status: response.status, code, ms: Math.round(ms * 10) / 10 });
      return response;
    };
  };
}

/** The error that the caller gets; `outage` is the code for a storage that does not answer. */
function toAnpError(error: unknown, outage: 500 | 503): AnpError {
  if (error instanceof AnpError) return error;
  return new AnpError(isOutage(error) ? outage : 500, undefined, { cause: error });
}

function isCallerGone({ req: { signal } }: H3Event, error: unknown): boolean {
  return signal.aborted && error === signal.reason;
}

/** Logs the stack of a failure that an operator should look at. The storage watch reports outages. */
function logFailure(
  logger: Logger,
  err: unknown,
  { code, ...request }: { readonly code: number; readonly request_id: string; readonly operation: string },
): void {
  if (isOutage(err)) return;
  if (code === 500) logger.error({ err, ...request }, "internal error");
  if (code === 1007) logger.error({ err, ...request }, "the model call failed");
}

/** Successes are logged at the level debug: a line for each would cost more than the request. */
function logRequest(logger: Logger, fields: { readonly status: number; readonly [field: string]: unknown }): void {
  const isDetail = fields.status < 400 || LOGGED_AS_COUNT.has(fields.status);
  logger[isDetail ? "debug" : "info"](fields, "request");
}
