/** A request without references. */
export interface SmokeRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer. */
export interface SmokeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON; undefined for a body that is not JSON. */
  readonly body: unknown;
  /** Milliseconds until it was complete. */
  readonly ms: number;
}

/** The daemon cannot be reached, or closed the connection during an answer. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** There was no answer within the timeout. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/**
 * Sends a request and reads its answer. No redirect is followed: a token is only sent to the host it is for.
 *
 * @throws UnreachableError, LateError
 * @throws the signal's reason when it was aborted
 */
export async function exchange(
  { method, url, headers, body }: SmokeRequest,
  { timeout_ms, signal }: { readonly timeout_ms: number; readonly signal: AbortSignal },
): Promise<SmokeAnswer> {
  const timeout = AbortSignal.timeout(timeout_ms);
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers,
      // As bytes: for a string, fetch would add a content type.
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    const text = await response.text();
    const ms = performance.now() - started;
    return { status: response.status, headers: response.headers, text, body: parseJson(response, text), ms };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new LateError(`no answer within ${timeout_ms} ms`, { cause: error });
    throw new UnreachableError(`${new URL(url).origin} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

function parseJson(response: Response, text: string): unknown {
  if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || code || message;
}
