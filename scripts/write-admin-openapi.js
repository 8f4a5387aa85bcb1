// Makes the OpenAPI document of the admin address from the compiled declarations of its commands, which never change after
// the build.
import { z } from "zod";
import FRAME from "../src/http/admin/admin-openapi.json" with { type: "json" };
import { CATALOGUE } from "../dist/cli/command-catalogue.js";
import { remoteParams } from "../dist/cli/params/admin-body.js";
import { outputSchema } from "../dist/contract/admin-call.js";
import { errorEnvelope } from "../dist/contract/envelope.js";
import { ERRORS } from "../dist/contract/errors.js";

const REFUSALS = [401, 403, 413, 415, 422, 429, 503];

/** The document, as JSON: an operation for each command that has a role. @param version of the program */
export async function adminOpenApi(version) {
  const { info, components, responses, failure, ...frame } = FRAME;
  const refusals = REFUSALS.map((code) => [code, { ...failure, description: ERRORS[code].message }]);
  const { properties: output } = z.toJSONSchema(outputSchema, { io: "input" });
  const loaded = await Promise.all(CATALOGUE.map(({ load }) => load()));
  const commands = loaded.flatMap((command) => [command, ...Object.values(command.commands)]);
  const paths = commands
    .filter(({ role }) => role !== undefined)
    .map((command) => {
      const { name, role, summary } = command;
      const { properties, required } = bodySchema(command);
      const schema = {
        type: "object",
        properties: { ...properties, ...output },
        required,
        additionalProperties: false,
      };
      const operation = {
        operationId: name.replaceAll(/[ -](\w)/g, (_, letter) => letter.toUpperCase()),
        summary,
        tags: [role],
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: { ...responses, ...Object.fromEntries(refusals) },
      };
      return [`/admin/v1/${name.replace(" ", "/")}`, { post: operation }];
    });
  const schemas = { ...components.schemas, Error: z.toJSONSchema(errorEnvelope) };
  const head = { ...frame, info: { ...info, version } };
  const document = { ...head, paths: Object.fromEntries(paths), components: { ...components, schemas } };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The JSON schema of a command's body: its properties, and the required ones. */
function bodySchema(command) {
  const params = [...remoteParams(command).values()];
  const properties = params.map(({ field, param: { value, about: description, read, readAll } }) => {
    const type = value === undefined ? "boolean" : ["string", "number"];
    const one = { type, ...(read.words && { enum: read.words }) };
    return [field, { ...(readAll === undefined ? one : { type: "array", items: one }), description }];
  });
  const required = params.filter(({ param }) => param.missing === undefined).map(({ field }) => field);
  return { properties: Object.fromEntries(properties), required };
}
