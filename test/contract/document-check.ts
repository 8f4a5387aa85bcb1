import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Generated } from "../http/generated-requests.ts";

interface Parameter {
  readonly name: string;
  readonly in: "query" | "header";
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface Answered {
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Answered>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** An answer as it came. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Checks exchanges against the OpenAPI document alone, as a client that has nothing else would: with a validator of JSON
 * Schema, and without this project's own schemas.
 */
export function createDocumentCheck(document: object) {
  const { paths } = document as { paths: Paths };
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
  ajv.addSchema(document, "document");
  const validators = new Map<string, ValidateFunction>();

  function validator(...pointer: readonly string[]): ValidateFunction {
    const path = pointer.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"));
    const $ref = `document#/${path.map(encodeURIComponent).join("/")}`;
    const known = validators.get($ref) ?? ajv.compile({ $ref });
    validators.set($ref, known);
    return known;
  }

  const operationAt = (path: string, method: string): Operation | undefined =>
    paths[path]?.[(method === "HEAD" ? "GET" : method).toLowerCase()];

  return {
    /** Whether the document lets a client expect that the request is accepted. */
    accepts({ method, path, search, headers, body }: Generated): boolean {
      const verb = method.toLowerCase();
      const operation = operationAt(path, method);
      if (operation === undefined || method === "HEAD") return false;
      const query = new URLSearchParams(search);
      const parametersFit = (operation.parameters ?? []).every((parameter, index) => {
        const values =
          parameter.in === "query"
            ? query.getAll(parameter.name)
            : [headers[parameter.name.toLowerCase()] ?? []].flat();
        if (values.length === 0) return parameter.required !== true;
        const [text = ""] = values;
        const value = parameter.schema.type === "integer" && /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
        // A malformed request id is replaced: the document says so.
        if (parameter.name === "X-Request-Id") return true;
        return values.length === 1 && validator("paths", path, verb, "parameters", String(index), "schema")(value);
      });
      if (!parametersFit) return false;
      if (operation.requestBody === undefined) return true;
      const type = headers["content-type"]?.split(";", 1)[0];
      if (type !== "application/json" || body === undefined) return false;
      try {
        const value: unknown = JSON.parse(body);
        return validator("paths", path, verb, "requestBody", "content", "application/json", "schema")(value);
      } catch {
        return false;
      }
    },
    /** What of an answer the document does not have. Paths and methods that it does not have are not its concern. */
    deviations({ method, path }: Generated, { status, headers, body }: Answer): string[] {
      const operation = operationAt(path, method);
      if (operation === undefined) return [];
      const verb = method === "HEAD" ? "get" : method.toLowerCase();
      const answered = operation.responses[status];
      if (answered === undefined) return [`status ${status} is not in the document`];
      const at = ["paths", path, verb, "responses", String(status)];
      const found: string[] = [];
      for (const [name, { required = false }] of Object.entries(answered.headers)) {
        const text = headers.get(name);
        if (text === null && required) found.push(`header ${name} is missing`);
        if (text === null) continue;
        const check = validator(...at, "headers", name, "schema");
        if (!check(/^\d+$/.test(text) && name === "Retry-After" ? Number(text) : text)) {
          found.push(`header ${name}: ${text}`);
        }
      }
      if (method === "HEAD" || answered.content === undefined) return found;
      const check = validator(...at, "content", "application/json", "schema");
      return check(body) ? found : [...found, `body: ${ajv.errorsText(check.errors)}`];
    },
  };
}
