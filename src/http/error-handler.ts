import type { H3Event } from "h3";
import { AnpError } from "../contract/errors.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import { createThrottle } from "../runtime/throttle.ts";
import { isOutage } from "../storage/storage-errors.ts";
import { givenRequestId } from "./read-request.ts";
import { failure } from "./respond.ts";

/** Counts what was answered. */
export interface RequestMeter {
  /**
   * What counts the answers of one operation: HTTP status, code of the error catalogue (0 for a success), and ms from the
   * headers to the answer.
   */
  meterOf(operation: string): (status: number, code: number, ms: number) => void;
}

/** Answers one request; whatever it throws becomes an envelope. */
export type Handler = (event: H3Event, request_id: string) => Promise<Response> | Response;

/** What is particular to one route's failures. */
export interface FailureOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The code for a storage that does not answer. */
  readonly outage?: 500 | 503;
}

/** Runs a handler under a request id, turns whatever it throws into an envelope, and logs and counts the outcome. */
export type Answering = (
  name: string,
  handler: Handler,
  options?: FailureOptions,
) => (event: H3Event) => Promise<Response>;

/** What a line a request would make a storm of, in the very moment of need; it is told in sum. */
const TOLD_IN_SUM: ReadonlySet<number> = new Set([429, 503]);

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

  return (name, handler, { headers, outage = 503 } = {}) => {
    const count = deps.meter?.meterOf(name);
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
        const { signal } = event.req;
        if (signal.aborted && error === signal.reason) {
          logger.info({ request_id, operation: name }, "the caller has gone");
          return response;
        }
        const told = code === 500 ? "internal error" : code === 1007 ? "the model call failed" : undefined;
        if (told !== undefined && !isOutage(error)) logger.error({ err: error, request_id, operation: name }, told);
      }
      const ms = performance.now() - started;
      const { status } = response;
      count?.(status, code, ms);
      if (code === 429) refused.note();
      const fields = { request_id, operation: name, status, code, ms: Math.round(ms * 10) / 10 };
      // A line a success would cost more than the request: it is there for who asks for it.
      if (status < 400 || TOLD_IN_SUM.has(status)) logger.debug(fields, "request");
      else logger.info(fields, "request");
      return response;
    };
  };
}

/** What a caller is told of a failure; `outage` is the code of a storage that does not answer. */
function toAnpError(error: unknown, outage: 500 | 503): AnpError {
  if (error instanceof AnpError) return error;
  return new AnpError(isOutage(error) ? outage : 500, undefined, { cause: error });
}
