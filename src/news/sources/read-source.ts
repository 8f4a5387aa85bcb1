import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SourceState } from "../snapshot/snapshot-document.ts";
import { isArticleList, readArticlePages } from "./help/article-pages.ts";
import { SourceError, statusError } from "./source-error.ts";
import type { createSourceFetch } from "./public-fetch.ts";
import { readBytes } from "../../runtime/read-bytes.ts";

const MAX_REDIRECTS = 5;
const MAX_FILES = 5000; // Maximum number of files of a help center in a folder.
const SMALL_BODY = 128 * 1024; // Bytes. The number of bodies up to this size, for example of slow servers, is not limited.
const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/json;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5";

/** The HTTP validators of the last read, with which the source can answer "not modified". */
type Validators = Readonly<Pick<SourceState, "etag" | "last_modified">>;
export const NO_VALIDATORS: Validators = { etag: null, last_modified: null };

/** The location of a source, and how it is requested. */
export interface Location {
  readonly kind?: string; // The kind `help` may be a folder or a paged listing.
  readonly location: string;
  readonly allowPrivate?: boolean; // Whether its address may be non-public. Default: false.
  readonly headers?: Readonly<Record<string, string>> | undefined; // Sent to its own origin, not to redirect targets.
}

/** The content of a source. */
export interface Reading {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly validators: Validators;
  readonly url: string | undefined; // The final URL, or its Content-Location; undefined for a file.
  readonly status: number | undefined; // HTTP status; undefined for a file.
}

export interface ReaderOptions {
  readonly baseDir: string; // Base folder of relative paths.
  readonly timeoutMs: number; // Milliseconds for the whole exchange, redirects and body included.
  readonly maxBytes: number; // Bytes of the body after decompression.
  readonly fetch: ReturnType<typeof createSourceFetch>;
  readonly now: () => number; // Milliseconds since the epoch.
  readonly signal?: AbortSignal; // Aborted when the result is not wanted any more.
  readonly bodyTurn?: (() => Promise<void>) | undefined; // Waits until a large body may be read; not part of the timeout.
}

/** Whether a location is fetched over HTTP; anything else is a path. */
export const isRemote = (location: string): boolean => /^https?:\/\//i.test(location);

/** A location without credentials, for people and logs. */
export const printLocation = (location: string): string => location.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");

/** Reads a source once, within the limits of time and size.
 * @returns undefined when it has not changed since the validators in `known`
 * @throws SourceError with the failure named */
export async function readSource(place: Location, known: Validators, options: ReaderOptions) {
  if (!isRemote(place.location)) return readLocal(place, options);
  if (place.kind !== "help" || !isArticleList(place.location)) return readRemote(place, known, options);
  return readArticlePages(place.location, options, async (location, timeoutMs) =>
    readRemote({ ...place, location }, NO_VALIDATORS, { ...options, timeoutMs }),
  );
}

async function readLocal({ location: path, kind }: Location, options: ReaderOptions): Promise<Reading> {
  const file = resolve(options.baseDir, path);
  try {
    const found = await stat(file);
    if (found.isFile() && found.size > options.maxBytes) throw tooLarge(options.maxBytes);
    const isFolder = kind === "help" && found.isDirectory();
    const bytes = await (isFolder ? readHelpFolder(file, options.maxBytes) : readFile(file));
    return { bytes, contentType: null, validators: NO_VALIDATORS, url: undefined, status: undefined };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT") throw new SourceError("not_found", `the file ${path} does not exist`, error);
    throw new SourceError("unreadable", `the file ${path} cannot be read (${code})`, error);
  }
}

/** The Markdown and HTML files of a folder and its subfolders. @throws SourceError `too_large` */
export async function helpFilesIn(folder: string, maxBytes: number): Promise<string[]> {
  const all = await readdir(folder, { recursive: true });
  const paths = all.filter((path) => /\.(?:md|markdown|html?)$/i.test(path) && !/(?:^|[\\/])\./.test(path)).sort();
  if (paths.length > MAX_FILES) throw new SourceError("too_large", `more than ${MAX_FILES} files`);
  let bytes = 0;
  for (const path of paths) {
    // An unreadable file, such as a broken link, becomes an invalid article.
    bytes += (await stat(join(folder, path)).catch(() => ({ size: 0 }))).size;
    if (bytes > maxBytes) throw tooLarge(maxBytes, ` with ${path}`);
  }
  return paths;
}

/** The texts of these files as JSON: `{"articles":[{path,text}]}`. @throws SourceError `too_large` */
async function readHelpFolder(folder: string, maxBytes: number): Promise<Buffer> {
  const articles: object[] = [];
  for (const path of await helpFilesIn(folder, maxBytes)) {
    const file = readFile(join(folder, path), "utf8").then((text) => ({ path, text }));
    articles.push(await file.catch(() => ({ path, fault: "cannot be read" })));
  }
  return Buffer.from(JSON.stringify({ articles }));
}

async function readRemote(place: Location, known: Validators, options: ReaderOptions): Promise<Reading | undefined> {
  await options.fetch.load();
  const overdue = new AbortController();
  const expire = (ms: number) => setTimeout(() => overdue.abort(), ms);
  const started = performance.now();
  let timer = expire(options.timeoutMs);
  const timeout = overdue.signal;
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const { response, url } = await follow(place, known, signal, options);
    if (response.status === 304) return undefined;
    if (response.status === 204) throw new SourceError("empty", "the server answered 204, which has no content");
    if (!response.ok) {
      await response.body?.cancel();
      throw statusError(response, options.now());
    }
    let hasTurn = false;
    const takeTurn = async (size: number): Promise<void> => {
      if (hasTurn || size <= SMALL_BODY) return;
      hasTurn = true;
      clearTimeout(timer);
      const left = options.timeoutMs - (performance.now() - started);
      await options.bodyTurn?.();
      timer = expire(left);
    };
    const bytes = await readBytes(response.body, options.maxBytes, () => tooLarge(options.maxBytes), takeTurn);
    const { headers, status } = response;
    const validators = { etag: headers.get("etag"), last_modified: headers.get("last-modified") };
    const stated = headers.get("content-location") ?? "";
    const base = URL.canParse(stated, url) ? new URL(stated, url).href : url;
    return { bytes, contentType: headers.get("content-type"), validators, url: isRemote(base) ? base : url, status };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    if (error instanceof Error && error.cause instanceof SourceError) throw error.cause;
    if (timeout.aborted) throw new SourceError("timeout", `no complete answer within ${options.timeoutMs} ms`, error);
    const { cause, message } = error as Error & { cause?: { code?: unknown } };
    const reason = typeof cause?.code === "string" ? cause.code : message;
    throw new SourceError("network", `the connection failed (${reason})`, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Follows redirects manually, to limit their number and to keep them on HTTP. */
async function follow(place: Location, known: Validators, signal: AbortSignal, { fetch }: ReaderOptions) {
  const { location, allowPrivate = false, headers: own = {} } = place;
  let url = new URL(location);
  const { origin } = url;
  const secrets = Object.entries({ ...basicAuth(url), ...own });
  const asked = new Set<string>();
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (asked.has(url.href)) throw new SourceError("redirect", "it redirects to itself");
    asked.add(url.href);
    const headers = new Headers({ accept: ACCEPT });
    if (known.etag !== null) headers.set("if-none-match", known.etag);
    if (known.last_modified !== null) headers.set("if-modified-since", known.last_modified);
    if (url.origin === origin) for (const [name, value] of secrets) headers.set(name, value);
    [url.username, url.password] = ["", ""];
    const response = await fetch.get(url, { headers, signal, allowPrivate });
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url: url.href };
    await response.body?.cancel();
    const next = response.headers.get("location");
    if (next === null || !URL.canParse(next, url.href)) throw new SourceError("redirect", "a redirect leads nowhere");
    url = new URL(next, url);
    if (!isRemote(url.href)) throw new SourceError("redirect", `a redirect leaves HTTP (${url.protocol})`);
  }
  throw new SourceError("redirect", `more than ${MAX_REDIRECTS} redirects`);
}

/** fetch rejects URLs with credentials, so they become a header, which is sent to their own origin only. */
function basicAuth(url: URL): { readonly authorization: string } | undefined {
  if (url.username === "" && url.password === "") return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

const tooLarge = (maxBytes: number, where = ""): SourceError =>
  new SourceError("too_large", `more than ${maxBytes} bytes${where}`);
