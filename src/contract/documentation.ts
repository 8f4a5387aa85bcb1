import type { OperationId } from "./endpoints.ts";
import documentation from "./documentation.json" with { type: "json" };

/** What the OpenAPI document says of an endpoint. The example has the query and body of a request, and the `data` of its success. */
interface Documentation {
  readonly summary: string;
  readonly description: string;
  readonly query?: object;
  readonly body?: object;
  readonly data: object;
}

/** The summary, the description and an example of each endpoint. A test validates the examples. */
export const DOCUMENTATION: Readonly<Record<OperationId, Documentation>> = documentation;
