import { readFileSync } from "node:fs";
import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "./endpoints.ts";
import { errorEnvelope, successEnvelope } from "./envelope.ts";
import { ERRORS, type ErrorCode, type ErrorKind } from "./errors.ts";
import { DOCUMENTATION } from "./documentation.ts";
import frame from "./openapi-frame.json" with { type: "json" };
import { LIMITS } from "./field-bounds.ts";
import { version } from "../runtime/version.ts";

/** The document without its paths. The operator differs from daemon to daemon, and has no name here. */
const FRAME = frame as ZodOpenApiObject;

/** The OpenAPI 3.1 document of the interface, as JSON text. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

/** The OpenAPI 3.1 document of the interface, built from the endpoint table and the error catalogue. */
export function openApiDocument(): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const [id, endpoint] of Object.entries(ENDPOINTS) as [OperationId, Endpoint][]) {
    paths[endpoint.path] = { [endpoint.method.toLowerCase()]: operation(id, endpoint) };
  }
  return createDocument({ ...FRAME, info: { ...FRAME.info, version: version(), description: description() }, paths });
}

/** What a client developer needs to know before the first call, in Markdown. */
function description(): string {
  const errors = Object.entries(ERRORS).map(([code, { status, message, remedy }]) => {
    return `| ${code} | ${status} | ${message} | ${remedy} |`;
  });
  return readFileSync(new URL("openapi.md", import.meta.url), "utf8")
    .trimEnd()
    .replace("{{errors}}", errors.join("\n"))
    .replace("{{key_length}}", String(LIMITS.idempotencyKey));
}

function operation(id: OperationId, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { query, body, data } = endpoint;
  const { summary, description, ...example } = DOCUMENTATION[id];
  return {
    operationId: id,
    summary,
    description,
    tags: [endpoint.tag],
    "x-stability": endpoint.stability ?? "stable",
    security:
      endpoint.auth === "required" ? [{ userToken: [] }] : endpoint.auth === "optional" ? [{}, { userToken: [] }] : [],
    requestParams: {
      header: requestHeaders(endpoint),
      ...(query !== undefined && { query: withExamples(query, example.query) }),
    },
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: body, examples: named(example.body) } },
      },
    }),
    responses: {
      "200": {
        description: "Success",
        headers: responseHeaders(endpoint),
        content: {
          "application/json": {
            schema: successEnvelope(data),
            examples: named({ success: true, code: 0, message: "ok", data: example.data, request_id: EXAMPLE_ID }),
          },
        },
      },
      ...(endpoint.max_age_s !== undefined && {
        "304": { description: "The success that If-None-Match names", headers: responseHeaders(endpoint) },
      }),
      ...errorResponses(codesOf(endpoint)),
    },
  };
}

const EXAMPLE_ID = "rmi6z2k00a1b2c3d4e5f6g7h8i";

function named(value: unknown): { example: { value: unknown } } {
  return { example: { value } };
}

function withExamples(query: z.ZodObject, example: object | undefined): z.ZodObject {
  if (example === undefined) return query;
  const shape = Object.fromEntries(
    (Object.entries(query.shape) as [string, z.ZodType][]).map(([name, field]) => {
      const value: unknown = Reflect.get(example, name);
      return [name, value === undefined ? field : field.meta({ examples: [value] })];
    }),
  );
  return z.object(shape);
}

function requestHeaders({ idempotent, max_age_s }: Endpoint): z.ZodObject {
  return z.object({
    "X-Request-Id": header("Echoed; generated when absent or malformed", z.string().regex(/^[\w-]{1,128}$/)),
    ...(idempotent === true && {
      "Idempotency-Key": header(
        "A repeat with the same key and body returns the first result",
        z
          .string()
          .min(1)
          .max(LIMITS.idempotencyKey)
          .regex(/^[!-~]+$/),
      ),
    }),
    ...(max_age_s !== undefined && { "If-None-Match": header("The ETag of an earlier success") }),
  });
}

function responseHeaders({ idempotent, stability, max_age_s }: Endpoint): z.ZodObject {
  return z.object({
    "X-Request-Id": z.string().meta({ description: "The request_id of the body" }),
    ...rateHeaders,
    ...((idempotent === true || stability === "experimental") && {
      "Idempotency-Replayed": header("The result of an earlier call", z.literal("true")),
    }),
    ...(max_age_s !== undefined && {
      ETag: z.string().meta({ description: "Names this `data`, whatever the request_id" }),
      "Cache-Control": z.literal(`max-age=${max_age_s}`).meta({ description: "How long it may be reused" }),
    }),
    ...(stability === "experimental" && {
      "X-Stability": z.literal("experimental").meta({ description: "May change or fail" }),
    }),
  });
}

/** A header that may be absent. */
function header(description: string, schema: z.ZodType = z.string(), examples?: string[]): z.ZodType {
  return schema.optional().meta({ description, ...(examples !== undefined && { examples }) });
}

const rateHeaders = {
  "RateLimit-Policy": header("Once half of a rate limit is used: its requests and window", z.string(), [
    '"chat";q=60;w=60',
  ]),
  RateLimit: header("What is left of it, and seconds until its reset", z.string(), ['"chat";r=59;t=42']),
};

const retryHeaders = z.object({
  "Retry-After": z
    .int()
    .min(1)
    .meta({ description: "Seconds after which to try again", examples: [2] }),
});

/** One response per status; codes that share a status share it. */
function errorResponses(codes: readonly ErrorCode[]): ZodOpenApiOperationObject["responses"] {
  const responses: ZodOpenApiOperationObject["responses"] = {};
  for (const code of [...new Set(codes)].sort((a, b) => ERRORS[a].status - ERRORS[b].status)) {
    const { status, message, remedy, retry_after_s }: ErrorKind = ERRORS[code];
    responses[`${status}` as "404"] = {
      description: `Code ${code}: ${message} ${remedy}`,
      ...(retry_after_s !== undefined && { headers: code === 429 ? retryHeaders.extend(rateHeaders) : retryHeaders }),
      content: {
        "application/json": {
          schema: errorEnvelope,
          examples: named({
            success: false,
            code,
            message,
            request_id: EXAMPLE_ID,
            ...(code === 422 ? { errors: [{ in: "body", path: "question", message: "must not be empty" }] } : {}),
            ...(code === 500 ? { detail: "The request could not be completed." } : {}),
          }),
        },
      },
    };
  }
  return responses;
}
