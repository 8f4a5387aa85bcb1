import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "./endpoints.ts";
import { errorEnvelope, successEnvelope } from "./envelope.ts";
import { ERRORS, type ErrorCode, type ErrorKind } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { version } from "../runtime/version.ts";

/** What a client developer needs to know before the first call, in Markdown. */
const DESCRIPTION = `A question-answering assistant, a news feed with clustered topics, and points, quota and subscription for the users of a trading platform.

## Tokens

Operations with a lock take the user's token in the header \`X-User-Token\`. The operator issues one with \`anp tokens issue USER\`; where \`auth.jwt\` is configured, the platform's own JWTs are valid too. \`anp serve --demo\` prints the tokens of its users. On operations where the token is optional, a missing, unknown or expired token makes the caller anonymous.

## The envelope

Every answer is a JSON object with \`success\`, \`code\`, \`message\` and \`request_id\`. A success has \`code\` 0 and its result in \`data\`. A failure has a code of the table below and no \`data\`; 422 lists every invalid field in \`errors\`, 500 has a \`detail\`. The header \`X-Request-Id\` of a request becomes its \`request_id\` if it is well-formed.

## Error codes

| code | HTTP status | message | what to do |
| --- | --- | --- | --- |
${Object.entries(ERRORS)
  .map(([code, { status, message, remedy }]) => `| ${code} | ${status} | ${message} | ${remedy} |`)
  .join("\n")}

## Idempotency

A request that changes points can be repeated safely: send the same \`Idempotency-Key\` (1 to ${LIMITS.idempotencyKey} printable ASCII characters) and the same body. The repeat returns the first result and the header \`Idempotency-Replayed: true\`; nothing is charged or credited twice. The same key with another body is 422. The trade reward takes its \`ref_id\` as the key.`;

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
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Assistant, News and Points",
      version: version(),
      description: DESCRIPTION,
      // The operator differs from daemon to daemon.
      contact: { name: "The operator of this daemon" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The daemon that serves this document" }],
    tags: [
      { name: "Accounts", description: "Quota profile and subscription" },
      { name: "Assistant", description: "Questions and answers" },
      { name: "Events", description: "Behaviour and feedback" },
      { name: "News", description: "News, topics, mood and their refresh" },
      { name: "Points", description: "Balance, ledger, exchange and reward" },
    ],
    paths,
    components: {
      securitySchemes: {
        userToken: {
          type: "apiKey",
          in: "header",
          name: "X-User-Token",
          description: "The user's token: one that `anp tokens issue` printed, or a JWT of the platform",
        },
      },
    },
  });
}

function operation(id: OperationId, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { query, body, data, example } = endpoint;
  const headers = z.object({
    "X-Request-Id": z
      .string()
      .regex(/^[\w-]{1,128}$/)
      .optional()
      .meta({ description: "Echoed; generated when absent or malformed" }),
    ...(endpoint.idempotent === true
      ? {
          "Idempotency-Key": z
            .string()
            .min(1)
            .max(LIMITS.idempotencyKey)
            .optional()
            .meta({ description: "A repeat with the same key and body returns the first result" }),
        }
      : {}),
  });
  return {
    operationId: id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [endpoint.tag],
    "x-stability": endpoint.stability,
    security:
      endpoint.auth === "required" ? [{ userToken: [] }] : endpoint.auth === "optional" ? [{}, { userToken: [] }] : [],
    requestParams: {
      header: headers,
      ...(query === undefined ? {} : { query: withExamples(query, example.query) }),
    },
    ...(body === undefined
      ? {}
      : {
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

function responseHeaders(endpoint: Endpoint): z.ZodObject {
  return z.object({
    "X-Request-Id": z.string().meta({ description: "The request_id of the body" }),
    ...rateHeaders,
    ...(endpoint.idempotent === true || endpoint.stability === "experimental"
      ? { "Idempotency-Replayed": z.literal("true").optional().meta({ description: "The result of an earlier call" }) }
      : {}),
    ...(endpoint.stability === "experimental"
      ? { "X-Stability": z.literal("experimental").meta({ description: "May change or fail" }) }
      : {}),
  });
}

const rateHeaders = {
  "RateLimit-Policy": z
    .string()
    .optional()
    .meta({ description: "Where a rate limit is set: requests and window", examples: ['"chat";q=60;w=60'] }),
  RateLimit: z
    .string()
    .optional()
    .meta({ description: "What is left of it, and seconds until its reset", examples: ['"chat";r=59;t=42'] }),
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
      ...(retry_after_s === undefined
        ? {}
        : { headers: code === 429 ? retryHeaders.extend(rateHeaders) : retryHeaders }),
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
