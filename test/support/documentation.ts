import type { OperationId } from "../../src/contract/endpoints.ts";
import documentation from "../../src/contract/openapi/documentation.json" with { type: "json" };

/** Texts and examples of each endpoint: a request's query and body, a success's `data`. */
export const DOCUMENTATION: Readonly<Record<OperationId, Documented>> = documentation;
type Documented = { summary: string; description: string; query?: object; body?: object; data: object };
