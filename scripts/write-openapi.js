// Makes the OpenAPI document of the interface from the compiled endpoint table, its schemas and the error catalogue, which
// never change after the build: a daemon then needs neither the time nor the library that makes it.
import { readFile } from "node:fs/promises";
import { createDocument } from "zod-openapi";
import { z } from "zod";
import DOCUMENTATION from "../src/contract/openapi/documentation.json" with { type: "json" };
import FRAME from "../src/contract/openapi/openapi-frame.json" with { type: "json" };
import HEADERS from "../src/contract/openapi/openapi-headers.json" with { type: "json" };
import { codesOf, ENDPOINTS } from "../dist/contract/endpoints.js";
import { errorEnvelopeOf, successEnvelope } from "../dist/contract/envelope.js";
import { ERRORS } from "../dist/contract/errors.js";
import { LIMITS } from "../dist/contract/field-bounds.js";
import { responseHeaders } from "../dist/contract/openapi/openapi-document.js";
import { groupBy } from "../dist/runtime/group-by.js";

const EXAMPLE_ID = "rmi6z2k00a1b2c3d4e5f6g7h8i";
const ERROR_ENVELOPES = new Map(
  Object.keys(ERRORS).map((code) => [Number(code), errorEnvelopeOf(Number(code)).meta({ id: `Error${code}` })]),
);

/** The document, as JSON. @param version of the program */
export async function openApiDocument(version) {
  const paths = {};
  for (const [id, endpoint] of Object.entries(ENDPOINTS))
    paths[endpoint.path] = { [endpoint.method.toLowerCase()]: operation(id, endpoint) };
  const info = { ...FRAME.info, version, description: await description() };
  return JSON.stringify(createDocument({ ...FRAME, info, paths }));
}

async function description() {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, message, remedy }]) => `| ${code} | ${status} | ${message} | ${remedy} |`,
  );
  return (await readFile(new URL("../src/contract/openapi/openapi.md", import.meta.url), "utf8"))
    .trimEnd()
    .replace("{{errors}}", rows.join("\n"))
    .replace("{{key_length}}", String(LIMITS.idempotencyKey));
}

function operation(id, endpoint) {
  const { query, body, data, auth, tag, stability = "stable", idempotent, max_age_s } = endpoint;
  const { summary, description, ...example } = DOCUMENTATION[id];
  const success = { success: true, code: 0, message: "ok", data: example.data, request_id: EXAMPLE_ID };
  const content = json(successEnvelope(data), success);
  const { always, idempotent: repeatable, reusable } = HEADERS.requests;
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    "x-stability": stability,
    security: auth === "required" ? [{ userToken: [] }] : auth === "optional" ? [{}, { userToken: [] }] : [],
    parameters: [...always, ...(idempotent ? repeatable : []), ...(max_age_s ? reusable : [])],
    ...(query && { requestParams: { query: withExamples(query, example.query) } }),
    ...(body && { requestBody: { required: true, content: json(body, example.body) } }),
    responses: {
      200: { description: "Success", headers: responseHeaders(endpoint, 200), content },
      ...(max_age_s !== undefined && {
        304: { description: "The success that If-None-Match names", headers: responseHeaders(endpoint, 304) },
      }),
      ...errorResponses(endpoint),
    },
  };
}

const json = (schema, value) => ({ "application/json": { schema, examples: { example: { value } } } });

/** A query with an example of each parameter that has one. */
function withExamples(schema, values = {}) {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const value = values[name];
    return [name, value === undefined ? field : field.meta({ ...field.meta(), examples: [value] })];
  });
  return z.object(Object.fromEntries(fields));
}

function errorResponses(endpoint) {
  const byStatus = groupBy(codesOf(endpoint), (code) => ERRORS[code].status);
  const responses = Array.from(byStatus, ([status, codes]) => {
    const [first, ...others] = codes.map((code) => ERROR_ENVELOPES.get(code));
    const texts = codes.map((code) => `Code ${code}: ${ERRORS[code].message} ${ERRORS[code].remedy}`);
    const schema = others.length === 0 ? first : z.union([first, ...others]);
    const examples = Object.fromEntries(codes.map((code) => [`code${code}`, { value: errorExample(code) }]));
    const content = { "application/json": { schema, examples } };
    return [status, { description: texts.join(" "), headers: responseHeaders(endpoint, status), content }];
  });
  return Object.fromEntries(responses);
}

const errorExample = (code) => ({
  success: false,
  code,
  message: ERRORS[code].message,
  ...(code === 422 && { errors: [{ in: "body", path: "question", message: "must not be empty" }] }),
  ...(code === 500 && { detail: "The request could not be completed." }),
  request_id: EXAMPLE_ID,
});
