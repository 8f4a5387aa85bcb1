/** A request with nothing left to resolve. */
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
  /** Parsed JSON; undefined for what is none. */
  readonly body: unknown;
  /** Milliseconds until it was complete. */
  readonly ms: number;
}

/** The daemon cannot be reached, or went away in the middle of an answer. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** There was no answer in time. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/**
 * Sends a request and reads its answer. No redirect is followed: a token goes to the host it was given for.
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
      // As bytes: of a text, fetch would make up a content type.
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
