import { z } from "zod";
import { outputSchema } from "../../contract/admin-call.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import { ERRORS } from "../../contract/errors.ts";
import type { Role } from "../../contract/roles.ts";
import { version } from "../../runtime/package-file.ts";
import FRAME from "./admin-openapi.json" with { type: "json" };

export interface DocumentedCommand {
  readonly name: string;
  readonly role: Role;
  readonly summary: string;
  readonly body: { readonly properties: Readonly<Record<string, object>>; readonly required: readonly string[] };
}

const REFUSALS = [401, 403, 413, 415, 422, 429, 503] as const;

/** The OpenAPI 3.1 document of the admin address: an operation for each command, made of its declaration. */
export function adminOpenApi(commands: readonly DocumentedCommand[]): object {
  const { info, components, responses, failure, ...frame } = FRAME;
  const refusals = REFUSALS.map((code) => [code, { ...failure, description: ERRORS[code].message }]);
  const { properties: output } = z.toJSONSchema(outputSchema, { io: "input" });
  const paths = commands.map(({ name, role, summary, body: { properties, required } }) => {
    const schema = { type: "object", properties: { ...properties, ...output }, required, additionalProperties: false };
    const operation = {
      operationId: name.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      tags: [role],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { ...responses, ...(Object.fromEntries(refusals) as object) },
    };
    return [`/admin/v1/${name.replace(" ", "/")}`, { post: operation }];
  });
  const schemas = { ...components.schemas, Error: z.toJSONSchema(errorEnvelope) };
  const head = { ...frame, info: { ...info, version: version() } };
  return { ...head, paths: Object.fromEntries(paths) as object, components: { ...components, schemas } };
}
