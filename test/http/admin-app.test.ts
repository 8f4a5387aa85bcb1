import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createAuditLog, type AuditRow } from "../../src/admin/audit-log.ts";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import { CATALOGUE } from "../../src/cli/command-catalogue.ts";
import { hostedCommands } from "../../src/cli/commands/serve/hosted-commands.ts";
import { main } from "../../src/cli/main.ts";
import type { AnpError } from "../../src/contract/errors.ts";
import { createAdminApp, type AdminCommand } from "../../src/http/admin/admin-app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { Service } from "../../src/service/service.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { printKey } from "../../src/storage/documents.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openCopiedService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** An admin address on memory, with an operator. */
interface World {
  readonly service: Service;
  readonly commands: readonly AdminCommand[];
  readonly token: string;
  readonly call: (path: string, body: object, init?: RequestInit) => Promise<Response>;
  readonly audit: () => Promise<AuditRow[]>;
}

async function openWorld(wrap = (storage: Storage): Storage => storage): Promise<World> {
  const base = await openStorage("memory:");
  const { service } = await openCopiedService({ fixture: "small", flags: { "auth.cache_ms": 0 } }, wrap(base));
  const commands = await hostedCommands({ catalogue: CATALOGUE, main }, service);
  const { secret } = await service.operators.issue("ops", { role: "operator" });
  const app = createAdminApp({ service, logger: silentLogger, commands, stop: new AbortController().signal });
  const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
  return {
    service,
    commands,
    token: secret,
    call: async (path, body, init) =>
      app.request(`http://anp.test/admin/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body), ...init }),
    audit: async () => collect(createAuditLog(service).newestFirst()),
  };
}

describe("the audit log", () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  });

  it("has who called what about whom, before it runs and with its outcome after", async () => {
    const { call, audit, service } = world;
    const body = { user: "alice", delta: 7, reason: "a canary in the reason", yes: true };
    const response = await call("points/adjust", body, {
      headers: { ...(await headersOf(world)), "x-request-id": "one" },
    });
    expect(await response.text()).toContain('{"exit":0}');
    expect((await audit())[0]).toEqual({
      id: 1,
      at: "2026-11-20T00:00:00.000Z",
      call: "one",
      operator: "ops",
      role: "operator",
      address: "unknown",
      command: "points adjust",
      user: "alice",
      arguments: { delta: "7", reason: "(22 characters)", yes: true },
      outcome: "exit 0",
    });
    await (await call("events/record", { type: "page_view", user: "alice" })).text();
    expect((await audit())[0]?.arguments).toEqual({ type: "page_view" });
    const caller = { operator: "ops", role: "operator", address: null } as const;
    const end = await createAuditLog(service).begin({
      ...caller,
      call: "two",
      command: "quota",
      user: null,
      arguments: {},
    });
    expect((await audit())[0]).toMatchObject({ call: "two", outcome: "unfinished" });
    await end("exit 1");
    expect((await audit()).map(({ outcome }) => outcome)).toEqual(["exit 1", "exit 0", "exit 0"]);
  });

  it("holds neither secrets nor anybody's words", async () => {
    const { call, service } = world;
    const { secret, record } = await service.tokens.issue("alice", { label: "phone" });
    for (const [path, body] of Object.entries({
      ask: { question: "a canary asks", user: "alice", page_context: "a canary", token_symbol: "canary" },
      "events/record": { type: "canary_of_no_known_type", user: "alice", payload: '{"a canary":1}', route: "canary" },
      "ledger/search": { reason: "canary" },
      "tokens/issue": { user: "alice", label: "canary" },
      "tokens/revoke": { token: record.id },
      "users/show": { user: secret },
      quota: { user: secret.slice(0, 20) },
      "users/erase": { user: "alice", reason: "canary", yes: true },
    })) {
      const text = await (await call(path, body)).text();
      expect(text, path).toMatch(/\{"exit":[0-5]\}/);
    }
    const log = JSON.stringify(await world.audit());
    expect(log).not.toContain("canary");
    expect(log).not.toContain(secret.slice(0, 13));
    const revoked = (await world.audit()).find(({ command }) => command === "tokens revoke");
    expect(revoked).toMatchObject({ user: "alice", arguments: { token: record.id } });
    const shown = (await world.audit()).find(({ command }) => command === "users show");
    expect(shown).toMatchObject({ user: "alice", outcome: "exit 0" });
  });

  it("keeps only the length of a text of a param that does not say which texts it takes", async () => {
    const recorded: string[] = [];
    const { paths } = await readDocument(world);
    for (const { name, read } of world.commands) {
      const { schema } = paths[`/admin/v1/${name.replace(" ", "/")}`]!.post.requestBody.content["application/json"];
      const text = Object.fromEntries(
        Object.entries(schema.properties).map(([field, property]) => [field, sampleOf(property)]),
      );
      const known = await read(text, "ops").catch((error: unknown) => {
        const wrong = new Set((error as AnpError).fieldErrors.map(({ path }) => path));
        return read(Object.fromEntries(Object.entries(text).filter(([field]) => !wrong.has(field))), "ops").catch(
          () => undefined,
        );
      });
      for (const [field, value] of Object.entries(known?.recorded ?? {})) {
        if (JSON.stringify(value).includes("words")) recorded.push(`${name} --${field}`);
      }
    }
    expect(recorded).toMatchInlineSnapshot(`
      [
        "ask --user",
        "ask --idempotency_key",
        "questions --user",
        "questions --scene",
        "questions --lang",
        "hot-topics --lang",
        "news hot --symbol",
        "news topics --lang",
        "news topics --symbol",
        "quota --user",
        "ledger list --user",
        "ledger list --ref",
        "ledger show --id",
        "ledger show --user",
        "ledger summary --user",
        "ledger summary --ref",
        "ledger search --ref",
        "ledger search --actor",
        "ledger verify --user",
        "ledger export --user",
        "points reverse --entry",
        "points reverse --user",
        "subscription show --user",
        "subscription set --user",
        "subscription set --plan",
        "users show --user",
        "users create --user",
        "users export --user",
        "users erase --user",
        "tokens issue --user",
        "tokens list --user",
        "tokens rotate --user",
        "tokens revoke --token",
        "tokens revoke --user",
        "operators add --name",
        "operators revoke --name",
        "audit list --operator",
        "audit list --user",
        "events record --type",
        "events record --user",
        "events record --idempotency_key",
      ]
    `);
  });

  it("has the calls that are refused, a few in a minute: with their subject where the body is valid", async () => {
    const { call, audit, service } = await openWorld();
    const { secret, record } = await service.operators.issue("mei", { role: "support" });
    const send = async (path: string, body: string | object) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return (await call(path, {}, { headers, body: text })).status;
    };
    for (const body of [{ user: "bob" }, { user: "bob", unknown: 1 }, "{", "x".repeat(70_000)])
      expect(await send("users/export", body)).toBe(403);
    expect(await send("points/adjust", { user: "bob", delta: 5, reason: "a canary" })).toBe(403);
    await service.operators.revoke(record.id);
    for (let n = 0; n < 8; n++) expect(await send("users/show", { user: "bob" })).toBe(401);
    const rows = (await audit()).toReversed();
    expect(rows.map(({ operator, command, user, outcome }) => [operator, command, user, outcome].join())).toEqual([
      "mei,users export,bob,refused",
      ...Array<string>(3).fill("mei,users export,,refused"),
      "mei,points adjust,bob,refused",
      ...Array<string>(5).fill("mei,users show,,refused"),
    ]);
    expect(rows[4]?.arguments).toEqual({ delta: "5", reason: "(8 characters)" });
  });

  it("verifies, and names the first entry that was changed or taken out", async () => {
    const { service } = world;
    const { storage } = service;
    const audit = createAuditLog(service);
    const before = await audit.verify();
    expect(before).toMatchObject({ fault: null, unfinished: 0 });
    expect(before.entries).toBeGreaterThan(10);
    const key = ["audit", "log", "0", "3"];
    const text = (await storage.get(key))!;
    await storage.put(key, text.replace('"operator":"ops"', '"operator":"mei"'));
    expect(await audit.verify()).toMatchObject({ fault: "entry 3: its hash does not fit its fields" });
    await storage.put(key, (await storage.get(["audit", "log", "0", "4"]))!);
    expect(await audit.verify()).toMatchObject({ fault: "entry 3: it does not follow the entry before" });
    await storage.remove(key);
    expect((await audit.verify()).fault).toContain("audit/log/0/3");
    const damaged = await findDamagedValues(storage);
    expect(damaged.map(({ message }) => message).join()).toContain("audit/log/0/3");
    await storage.put(key, text);
    expect(await audit.verify()).toEqual(before);
  });

  it("is missed when all of it is gone", async () => {
    const { service } = await openWorld();
    const { fault } = await createAuditLog(service).verify();
    expect(fault).toBe("it is gone: there are operators, and no entry");
  });

  it("is missed from its end too, though nothing in its place knows of what was there", async () => {
    const folder = await temporaryFolder();
    try {
      for (const url of ["memory:", `fs:${folder.path}`]) {
        const storage = await openStorage(url);
        const log = createAuditLog({ storage, clock: systemClock });
        const caller = { operator: "ops", role: "operator", address: null, command: "quota", user: null } as const;
        const add = async (call: string) => (await log.begin({ ...caller, call, arguments: {} }))("exit 0");
        for (const call of ["a", "b", "c"]) await add(call);
        // An item's second name on files, and the head elsewhere.
        for (const place of ["6", "5"]) await storage.remove(["audit", "log", "0", place]);
        await rm(join(folder.path, "audit/log/0/.last"), { force: true });
        await storage.remove(["audit", "log", "head"]);
        const reopened = url === "memory:" ? storage : await openStorage(url);
        const verify = async () => (await createAuditLog({ storage: reopened, clock: systemClock }).verify()).fault;
        expect(await verify()).toBe("entries are gone: 6 were written");
        // What is written over them does not hide it.
        const next = createAuditLog({ storage: reopened, clock: systemClock });
        await (
          await next.begin({ ...caller, call: "d", arguments: {} })
        )("exit 0");
        expect(await verify()).toBe("entry 6 is not the one that was written");
      }
    } finally {
      await folder.remove();
    }
  });

  it("takes the entries of several daemons at once, each once and chained", async () => {
    const { service } = await openWorld();
    const logs = [createAuditLog(service), createAuditLog(service), createAuditLog(service)];
    const call = {
      operator: "ops",
      role: "operator",
      address: null,
      command: "quota",
      user: null,
      arguments: {},
    } as const;
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => (await logs[n % 3]!.begin({ ...call, call: `c${n}` }))("exit 0")),
    );
    expect(await logs[0]!.verify()).toEqual({ entries: 60, unfinished: 0, fault: null });
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface Schema {
  readonly type: unknown;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly requestBody: {
    readonly content: {
      readonly "application/json": { readonly schema: { readonly properties: Record<string, Schema> } };
    };
  };
}

/** The OpenAPI document that the admin address serves. */
async function readDocument({ service, commands }: World): Promise<Document> {
  const app = createAdminApp({ service, logger: silentLogger, commands, stop: new AbortController().signal });
  return (await (await app.request("http://anp.test/admin/openapi.json")).json()) as Document;
}

function sampleOf(schema: Schema): unknown {
  if (schema.items !== undefined) return [sampleOf(schema.items)];
  return schema.type === "boolean" ? true : (schema.enum?.[0] ?? "some-words");
}

async function headersOf({ token }: World): Promise<Record<string, string>> {
  return Promise.resolve({ "content-type": "application/json", authorization: `Bearer ${token}` });
}

describe("a storage that fails", () => {
  it("lets nothing run that cannot be recorded: 503", async () => {
    let down = false;
    const { call, service, audit } = await openWorld((storage) =>
      interceptStorage(storage, async (verb, key, run) => {
        if (down && printKey(key).startsWith("audit/") && verb === "create") throw new StorageError("disk full");
        return run();
      }),
    );
    down = true;
    const body = { user: "alice", delta: 7, reason: "x", yes: true };
    expect((await call("points/adjust", body)).status).toBe(503);
    expect((await service.userStates.of("alice")).ledger.version).toBe(0);
    down = false;
    expect(await (await call("points/adjust", body)).text()).toContain('{"exit":0}');
    expect((await audit()).map(({ outcome }) => outcome)).toEqual(["exit 0"]);
  });

  it("reports a change whose outcome cannot be recorded, which stays unfinished in the log", async () => {
    let writes = Infinity;
    const { call, audit } = await openWorld((storage) =>
      interceptStorage(storage, async (verb, key, run) => {
        const isEntry = printKey(key).startsWith("audit:") || printKey(key).startsWith("audit/");
        if (verb === "create" && isEntry && writes-- <= 0) throw new StorageError("disk full");
        return run();
      }),
    );
    writes = 1;
    const text = await (await call("points/adjust", { user: "alice", delta: 7, reason: "x", yes: true })).text();
    expect(text).toContain('{"exit":0}');
    writes = Infinity;
    expect((await audit()).map(({ outcome }) => outcome)).toEqual(["unfinished"]);
  });
});

describe("a caller", () => {
  it("who does not read makes the command wait, and one who leaves ends it", async () => {
    const { call, service, audit } = await openWorld();
    const many = Array.from({ length: 800 }, (_, n) =>
      service.adjust({ user: "alice", delta: 1, reason: "x".repeat(150), actor: "ops", request_id: `r${n}` }),
    );
    await Promise.all(many);
    let read = 0;
    const { ledger } = service;
    const entries = ledger.entries.bind(ledger);
    Object.assign(ledger, {
      async *entries(user: string) {
        for await (const entry of entries(user)) {
          read += 1;
          yield entry;
        }
      },
    });
    const response = await call("ledger/export", { user: "alice" });
    const reader = response.body!.getReader();
    await reader.read();
    let before = -1;
    const paused = await until("it waits for its reader", () => {
      const isSame = read === before;
      before = read;
      return isSame && read;
    });
    expect(paused).toBeLessThan(800);
    await reader.cancel();
    await until("the end is recorded", async () => (await audit())[0]?.outcome === "exit 0");
    expect(read).toBeLessThan(800);
  });

  it("who follows a ledger is followed until they leave, and holds one of few places", async () => {
    const { call, audit } = await openWorld();
    const following = await Promise.all([1, 2, 3, 4].map(() => call("ledger/list", { user: "alice", follow: true })));
    expect((await call("quota", { user: "alice" })).status).toBe(429);
    for (const { body } of following) await body!.cancel();
    await until("all have ended", async () => (await audit()).every(({ outcome }) => outcome !== "unfinished"));
    // A place is given back just after the end is recorded.
    await until("a place is free", async () => (await call("quota", { user: "alice" })).status === 200);
  });
});

it("is described by an OpenAPI document with an operation for each command that has a role", async () => {
  const world = await openWorld();
  const document = await readDocument(world);
  const listed = Object.entries(document.paths).map(([path, { post }]) => `${path} ${post.tags.join()}`);
  expect(listed).toEqual(world.commands.map(({ name, role }) => `/admin/v1/${name.replace(" ", "/")} ${role}`));
  expect(document.paths["/admin/v1/quota"]).toMatchInlineSnapshot(`
    {
      "post": {
        "operationId": "quota",
        "requestBody": {
          "content": {
            "application/json": {
              "schema": {
                "additionalProperties": false,
                "properties": {
                  "format": {
                    "enum": [
                      "table",
                      "tsv",
                      "json",
                      "jsonl",
                      "csv",
                    ],
                    "type": "string",
                  },
                  "quiet": {
                    "default": false,
                    "type": "boolean",
                  },
                  "terminal": {
                    "additionalProperties": false,
                    "default": {},
                    "description": "The caller's terminal: which streams are one, and whether a question can be answered",
                    "properties": {
                      "ask": {
                        "default": false,
                        "type": "boolean",
                      },
                      "colour": {
                        "default": false,
                        "type": "boolean",
                      },
                      "columns": {
                        "default": 80,
                        "maximum": 10000,
                        "minimum": 1,
                        "type": "integer",
                      },
                      "stderr": {
                        "default": false,
                        "type": "boolean",
                      },
                      "stdout": {
                        "default": false,
                        "type": "boolean",
                      },
                    },
                    "type": "object",
                  },
                  "user": {
                    "description": "id of the user, a token, or the first 8 characters or more of one that begins with anp_; with --url, the token's user",
                    "type": [
                      "string",
                      "number",
                    ],
                  },
                },
                "required": [
                  "user",
                ],
                "type": "object",
              },
            },
          },
          "required": true,
        },
        "responses": {
          "200": {
            "content": {
              "application/x-ndjson": {
                "schema": {
                  "$ref": "#/components/schemas/Frame",
                },
              },
            },
            "description": "The command ran, or asks a question. Blank lines are to be skipped.",
            "headers": {
              "X-Request-Id": {
                "description": "The id of the call in the audit log",
                "schema": {
                  "type": "string",
                },
              },
            },
          },
          "401": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "The user token is missing or invalid.",
          },
          "403": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "The role of the operator does not allow this.",
          },
          "413": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "The body is too large.",
          },
          "415": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "The body must be application/json in UTF-8, without a Content-Encoding.",
          },
          "422": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "Parameter validation failed.",
          },
          "429": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "Too many requests.",
          },
          "503": {
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error",
                },
              },
            },
            "description": "The service cannot reach its storage.",
          },
        },
        "summary": "Show a user's points and free uses of today",
        "tags": [
          "support",
        ],
      },
    }
  `);
});
