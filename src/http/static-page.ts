import { createHash } from "node:crypto";
import type { Handler } from "./error-handler.ts";
import { allow } from "./read-request.ts";
import { page } from "./respond.ts";

type Body = string | Uint8Array<ArrayBuffer>;

/**
 * Answers GET with a body that does not change while the process runs. A browser that already has it gets a 304
 * (RFC 9110 §13.1.2).
 *
 * @param load reads the body; called for each answer that needs it, so that large files do not stay in memory
 */
export function staticPage(
  load: () => Body | Promise<Body>,
  contentType: string,
  headers: Readonly<Record<string, string>> = { "cache-control": "no-cache" },
): Handler {
  let etag: string | undefined;
  return async (event) => {
    allow(event.req, "GET");
    let body = etag === undefined ? await load() : undefined;
    if (body !== undefined) etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    const answer = { ...headers, etag: etag! };
    if (matches(event.req.headers.get("if-none-match"), answer.etag)) {
      return page("", contentType, { status: 304, headers: answer });
    }
    body ??= await load();
    return page(body, contentType, { headers: answer });
  };
}

/** Whether an If-None-Match header names the tag; it is compared weakly. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
