import { readFileSync } from "node:fs";
import { z } from "zod";
import { createDocument } from "zod-openapi";
import type { oas31, ZodOpenApiObject, ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "../endpoints.ts";
import { errorEnvelopeOf, successEnvelope } from "../envelope.ts";
import { ERRORS, type ErrorCode, type ErrorKind } from "../errors.ts";
import documentation from "./documentation.json" with { type: "json" };
import frame from "./openapi-frame.json" with { type: "json" };
import headers from "./openapi-headers.json" with { type: "json" };
import { LIMITS } from "../field-bounds.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { version } from "../../runtime/package-file.ts";

/** Texts and examples of each endpoint: a request's query and body, a success's `data`. A test validates the examples. */
export const DOCUMENTATION: Readonly<Record<OperationId, Documented>> = documentation;
type Documented = { summary: string; description: string; query?: object; body?: object; data: object };

const FRAME = frame as ZodOpenApiObject; // Without paths. The operator differs from daemon to daemon: no name here.
type Ceilings = Readonly<Record<string, number>>; // Largest values of body fields, by name, as configured.

/** The OpenAPI 3.1 document of the interface, as JSON text. */
export const openApiText = (ceilings?: Ceilings): string => `${JSON.stringify(openApiDocument(ceilings), null, 2)}\n`;

/** The OpenAPI 3.1 document of the interface, built from the endpoint table and the error catalogue. */
export function openApiDocument(ceilings: Ceilings = {}): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const [id, endpoint] of Object.entries(ENDPOINTS) as [OperationId, Endpoint][]) {
    const body = endpoint.body && withMeta(endpoint.body, ceilings, (maximum) => ({ maximum }));
    paths[endpoint.path] = { [endpoint.method.toLowerCase()]: operation(id, { ...endpoint, ...(body && { body }) }) };
  }
  return createDocument({ ...FRAME, info: { ...FRAME.info, version: version(), description: description() }, paths });
}

function description(): string {
  const rowOf = ([code, { status, message, remedy }]: [string, ErrorKind]): string =>
    `| ${code} | ${status} | ${message} | ${remedy} |`;
  return readFileSync(new URL("openapi.md", import.meta.url), "utf8")
    .trimEnd()
    .replace("{{errors}}", Object.entries(ERRORS).map(rowOf).join("\n"))
    .replace("{{key_length}}", String(LIMITS.idempotencyKey));
}

function operation(id: OperationId, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { query, body, data } = endpoint;
  const { summary, description, ...example } = DOCUMENTATION[id];
  const success = { success: true, code: 0, message: "ok", data: example.data, request_id: EXAMPLE_ID };
  const content = json(successEnvelope(data), success);
  const { always, idempotent, reusable } = headers.requests as Record<RequestHeaders, oas31.ParameterObject[]>;
  return {
    operationId: id,
    summary,
    description,
    tags: [endpoint.tag],
    "x-stability": endpoint.stability ?? "stable",
    security:
      endpoint.auth === "required" ? [{ userToken: [] }] : endpoint.auth === "optional" ? [{}, { userToken: [] }] : [],
    parameters: [...always, ...(endpoint.idempotent ? idempotent : []), ...(endpoint.max_age_s ? reusable : [])],
    ...(query && { requestParams: { query: withMeta(query, example.query, (value) => ({ examples: [value] })) } }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body, example.body) } }),
    responses: {
      "200": { description: "Success", headers: responseHeaders(endpoint, 200), content },
      ...(endpoint.max_age_s !== undefined && {
        "304": { description: "The success that If-None-Match names", headers: responseHeaders(endpoint, 304) },
      }),
      ...errorResponses(endpoint),
    },
  };
}

type RequestHeaders = keyof typeof headers.requests;
const EXAMPLE_ID = "rmi6z2k00a1b2c3d4e5f6g7h8i";
const json = (schema: z.ZodType, value: unknown) => ({
  "application/json": { schema, examples: { example: { value } } },
});

/** An object with keywords of JSON Schema added to those of its fields that have a value for them. */
function withMeta(schema: z.ZodObject, values: object = {}, keywords: (value: unknown) => object): z.ZodObject {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const value: unknown = Reflect.get(values, name);
    return [name, value === undefined ? field : field.meta({ ...field.meta(), ...keywords(value) })];
  });
  return z.object(Object.fromEntries(fields) as z.ZodRawShape);
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

const errorResponses = (endpoint: Endpoint): ZodOpenApiOperationObject["responses"] =>
  Object.fromEntries(
    [...groupBy(codesOf(endpoint), (code) => ERRORS[code].status)].map(([status, codes]) => {
      const [first, ...others] = codes.map((code) => ERROR_ENVELOPES.get(code)!);
      const description = codes.map((code) => `Code ${code}: ${ERRORS[code].message} ${ERRORS[code].remedy}`);
      const schema = others.length === 0 ? first! : z.union([first!, ...others]);
      const examples = Object.fromEntries(codes.map((code) => [`code${code}`, { value: errorExample(code) }]));
      const content = { "application/json": { schema, examples } };
      return [status, { description: description.join(" "), headers: responseHeaders(endpoint, status), content }];
    }),
  );

const ERROR_CODES = Object.keys(ERRORS).map(Number) as ErrorCode[];
const ERROR_ENVELOPES = new Map(ERROR_CODES.map((code) => [code, errorEnvelopeOf(code).meta({ id: `Error${code}` })]));

const errorExample = (code: ErrorCode): object => ({
  success: false,
  code,
  message: ERRORS[code].message,
  ...(code === 422 && { errors: [{ in: "body", path: "question", message: "must not be empty" }] }),
  ...(code === 500 && { detail: "The request could not be completed." }),
  request_id: EXAMPLE_ID,
});
