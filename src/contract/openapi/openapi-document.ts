import { readFileSync } from "node:fs";
import type { oas31 } from "zod-openapi";
import type { Endpoint } from "../endpoints.ts";
import headers from "./openapi-headers.json" with { type: "json" };

type Fields = Record<string, object>; // JSON Schemas by name.
type Body = {
  readonly content: { readonly "application/json": { readonly schema: { readonly properties?: Fields } } };
};
type Paths = Readonly<Record<string, { readonly post?: { readonly requestBody?: Body } }>>;

/** The OpenAPI 3.1 document of the interface, as JSON text. The build makes it (`scripts/write-openapi.js`).
 * @param ceilings largest values of fields of bodies, by name, as configured */
export function openApiText(ceilings: Readonly<Record<string, number>> = {}): string {
  const document = JSON.parse(readFileSync(new URL("openapi.written", import.meta.url), "utf8")) as { paths: Paths };
  for (const { post } of Object.values(document.paths)) {
    const { properties = {} } = post?.requestBody?.content["application/json"].schema ?? {};
    for (const [name, maximum] of Object.entries(ceilings))
      if (properties[name] !== undefined) properties[name] = { ...properties[name], maximum };
  }
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A header of an answer, as the document has it. */
export type ResponseHeader = oas31.HeaderObject & { readonly schema: { type?: string; const?: string } };
type HeaderMap = Record<string, ResponseHeader>;

const HEADERS = headers as Readonly<Record<Exclude<keyof typeof headers, "statuses" | "requests">, HeaderMap>> & {
  readonly statuses: Readonly<Record<number, HeaderMap>>;
};

export function responseHeaders(endpoint: Partial<Endpoint>, status: number): HeaderMap {
  const { auth, idempotent, stability, max_age_s } = endpoint;
  const cacheControl = { description: "How long it may be reused", schema: { const: `max-age=${max_age_s}` } };
  return {
    ...(status !== 304 && HEADERS.always),
    ...(auth === "required" && HEADERS.private),
    ...(stability === "experimental" && HEADERS.experimental),
    ...(status < 400 && HEADERS.success),
    ...(status === 200 && (idempotent === true || stability === "experimental") && HEADERS.idempotent),
    ...(status < 400 && max_age_s !== undefined && { ...HEADERS.reusable, "Cache-Control": cacheControl }),
    ...HEADERS.statuses[status],
  };
}
