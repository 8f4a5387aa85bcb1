import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "../../src/contract/endpoints.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import type { oas31 } from "zod-openapi";
import { openApiText } from "../../src/contract/openapi/openapi-document.ts";
import { DOCUMENTATION } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const openApiDocument = () => JSON.parse(openApiText()) as oas31.OpenAPIObject;
const endpoints = Object.entries(ENDPOINTS) as [OperationId, Endpoint][];

/** Runs a linter's command on the document; a finding of any severity rejects with what it printed. */
async function lint(bin: string, args: (file: string) => string[]): Promise<string> {
  const folder = await temporaryFolder();
  try {
    const file = join(folder.path, "openapi.json");
    await writeFile(file, openApiText());
    const env = { ...process.env, CI: "true", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { stdout } = await run(process.execPath, [join(root, "node_modules/.bin", bin), ...args(file)], {
      env,
      cwd: root,
    });
    return stdout;
  } finally {
    await folder.remove();
  }
}

describe("the OpenAPI document", () => {
  it("is valid for spectral", async () => {
    const options = ["--ruleset", join(root, ".spectral.json"), "--fail-severity", "hint"];
    expect(await lint("spectral", (file) => ["lint", file, ...options])).toContain("No results");
  });

  it("is valid for redocly", async () => {
    await lint("redocly", (file) => ["lint", file, "--max-problems", "100"]);
  });

  it("has the pattern and the length of an idempotency key", () => {
    const { parameters = [] } = openApiDocument().paths!["/api/v1/ai/events"]!.post!;
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: "Idempotency-Key",
        schema: expect.objectContaining({ minLength: 1, maxLength: 128, pattern: "^[!-~]+$" }) as object,
      }),
    );
  });

  it("is of this package's version, and explains tokens, the envelope, every error code and repeats", async () => {
    const { info } = openApiDocument();
    const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    expect(info.version).toBe(manifest.version);
    expect(info.contact?.url).toBeUndefined();
    for (const word of ["X-User-Token", "anp tokens issue", "request_id", "Idempotency-Key", "Idempotency-Replayed"]) {
      expect(info.description).toContain(word);
    }
    for (const [code, { status, message }] of Object.entries(ERRORS)) {
      expect(info.description).toContain(`| ${code} | ${status} | ${message} |`);
    }
  });

  it("holds each endpoint with its stability, errors and example", () => {
    const { paths } = openApiDocument();
    expect(endpoints).toHaveLength(13);
    for (const [id, endpoint] of endpoints) {
      const operation = paths?.[endpoint.path]?.[endpoint.method === "GET" ? "get" : "post"];
      expect(operation).toMatchObject({ operationId: id, "x-stability": endpoint.stability ?? "stable" });
      const statuses = Object.keys(operation?.responses ?? {});
      for (const code of codesOf(endpoint)) expect(statuses).toContain(String(ERRORS[code].status));
      expect(JSON.stringify(operation?.responses?.["200"])).toContain(JSON.stringify(DOCUMENTATION[id].data));
    }
  });
});

describe("the endpoint table", () => {
  it.each(endpoints)("has an example of %s that its own schemas accept", (id, { query, body, data }) => {
    const example = DOCUMENTATION[id];
    expect(data.strict().parse(example.data)).toEqual(example.data);
    if (query !== undefined) expect(query.strict().parse(example.query ?? {})).toMatchObject(example.query ?? {});
    if (body !== undefined) expect(body.strict().parse(example.body)).toEqual(example.body);
  });

  it("calls one endpoint unstable: the trade reward", () => {
    expect(endpoints.filter(([, { stability }]) => stability !== undefined).map(([id]) => id)).toEqual([
      "postTradeReward",
    ]);
  });
});
