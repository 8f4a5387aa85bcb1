import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SourceError } from "./source-error.ts";

const MAX_REDIRECTS = 5;
const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/json;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5";

/** What the source sent when it was last read, so that it can answer "not modified". */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The content of a source, or that it has not changed since the validators were sent. */
export type Reading =
  | { readonly changed: false }
  | {
      readonly changed: true;
      readonly bytes: Uint8Array;
      readonly contentType: string | null;
      readonly validators: Validators;
      /** Where the content came from in the end; undefined for a file. */
      readonly url: string | undefined;
    };

export interface ReaderOptions {
  /** Folder that relative paths start from. */
  readonly baseDir: string;
  /** Milliseconds for the whole exchange, redirects and body included. */
  readonly timeoutMs: number;
  /** Bytes of the body after decompression. */
  readonly maxBytes: number;
  readonly fetch: typeof fetch;
  /** Aborted when the result is not wanted any more. */
  readonly signal?: AbortSignal;
}

/** Whether a location is fetched over HTTP; anything else is a path. */
export function isRemote(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

/** A location without credentials, for people and logs. */
export function printLocation(location: string): string {
  return isRemote(location) ? location.replace(/^(https?:\/\/)[^/?#]*@/i, "$1") : location;
}

/**
 * Reads a source, once, within time and size.
 *
 * @throws SourceError with the failure named
 */
export async function readSource(location: string, known: Validators, options: ReaderOptions): Promise<Reading> {
  return isRemote(location) ? readRemote(location, known, options) : readLocal(location, known, options);
}

/** A file has no validators of its own; the hash of its content serves as its ETag. */
async function readLocal(path: string, known: Validators, options: ReaderOptions): Promise<Reading> {
  const file = resolve(options.baseDir, path);
  try {
    const { size } = await stat(file);
    if (size > options.maxBytes) throw tooLarge(options.maxBytes);
    const bytes = await readFile(file);
    const etag = createHash("sha256").update(bytes).digest("hex");
    if (etag === known.etag) return { changed: false };
    return { changed: true, bytes, contentType: null, validators: { etag, lastModified: null }, url: undefined };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT") throw new SourceError("not_found", `the file ${path} does not exist`, error);
    throw new SourceError("unreadable", `the file ${path} cannot be read (${code})`, error);
  }
}

async function readRemote(location: string, known: Validators, options: ReaderOptions): Promise<Reading> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const { response, url } = await follow(location, known, signal, options.fetch);
    if (response.status === 304) return { changed: false };
    if (!response.ok) {
      await response.body?.cancel();
      throw new SourceError("status", `the server answered ${response.status}`);
    }
    const bytes = await readBody(response, options.maxBytes);
    const { headers } = response;
    return {
      changed: true,
      bytes,
      contentType: headers.get("content-type"),
      validators: { etag: headers.get("etag"), lastModified: headers.get("last-modified") },
      url,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    if (timeout.aborted) throw new SourceError("timeout", `no complete answer within ${options.timeoutMs} ms`, error);
    throw new SourceError("network", `the connection failed (${networkReason(error)})`, error);
  }
}

/** Follows redirects itself, so that their number is bounded and they stay on HTTP. */
async function follow(
  location: string,
  known: Validators,
  signal: AbortSignal,
  request: typeof fetch,
): Promise<{ response: Response; url: string }> {
  let url = new URL(location);
  const credentials = basicAuth(url);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const headers = new Headers({ accept: ACCEPT, "user-agent": "anp" });
    if (known.etag !== null) headers.set("if-none-match", known.etag);
    if (known.lastModified !== null) headers.set("if-modified-since", known.lastModified);
    if (credentials !== undefined && url.origin === new URL(location).origin) headers.set("authorization", credentials);
    url.username = "";
    url.password = "";
    const response = await request(url.href, { headers, redirect: "manual", signal });
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url: url.href };
    await response.body?.cancel();
    const next = response.headers.get("location");
    if (next === null || !URL.canParse(next, url.href)) throw new SourceError("redirect", "a redirect leads nowhere");
    url = new URL(next, url);
    if (!isRemote(url.href)) throw new SourceError("redirect", `a redirect leaves HTTP (${url.protocol})`);
  }
  throw new SourceError("redirect", `more than ${MAX_REDIRECTS} redirects`);
}

/** fetch refuses URLs with credentials; they become a header, sent to their own origin alone. */
function basicAuth(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The declared length is not trusted: bytes are counted as they arrive, after decompression.
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): SourceError {
  return new SourceError("too_large", `more than ${maxBytes} bytes`);
}

function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === "string" ? cause.code : error.message;
}
