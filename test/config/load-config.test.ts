import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { addressOf } from "../../src/client/daemon-url.ts";
import { configKeys, configJsonSchema, exampleConfig } from "../../src/config/config-schema.ts";
import { ConfigError } from "../../src/config/config-errors.ts";
import TEXTS from "../../src/config/key-descriptions.json" with { type: "json" };
import { loadConfig } from "../../src/config/load-config.ts";
import { modelConfig } from "../../src/config/model-config.ts";
import { temporaryFolder } from "../support/folder.ts";

async function withFile<T>(text: string, test: (file: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await temporaryFolder();
  try {
    const file = join(folder.path, "anp.yaml");
    await writeFile(file, text);
    return await test(file, folder.path);
  } finally {
    await folder.remove();
  }
}

describe("configuration", () => {
  it("has a default for everything", async () => {
    const { config } = await loadConfig({ env: {}, flags: {} });
    expect(config).toMatchObject({
      storage: "fs:./.anp/data",
      quota: { timezone: "+08:00", free_daily: 5 },
      exchange: { rate: 10 },
      costs: { default: 1, advanced_research: 5, account: 0, small_talk: 0 },
    });
  });

  it("describes each key by its own text, where two have the same schema, too", () => {
    const texts = Object.entries(TEXTS).filter(([name]) => configKeys().some((key) => key.name === name));
    const described = texts.map(([name]) => [name, configKeys().find((key) => key.name === name)?.description]);
    expect(described).toEqual(texts);
  });

  it.each([
    ["admin", "server: { port: 9000 }\nadmin: { port: 9000 }\n", "server.port: must differ from admin.port"],
    [
      "metrics",
      "server: { port: 9000 }\nmetrics: { port: 9000 }\n",
      "server.port: must differ from admin.port and metrics.port",
    ],
    [
      "admin and metrics",
      "admin: { port: 9000 }\nmetrics: { port: 9000 }\n",
      "server.port: must differ from admin.port and metrics.port on the same host, as these two must",
    ],
    ["zone", 'quota: { timezone: "+14:30" }\n', "quota.timezone: must be an offset such as +08:00, at most 14 hours"],
    ["endpoint", "model: { base_url: ftp://x, model: m }\n", "model.base_url: must be an http or https URL"],
    [
      "drain",
      "server: { drain_ms: 3000000000 }\n",
      "server.drain_ms: must be an integer from 0 to 86400000, not 3000000000",
    ],
    [
      "model",
      "model: { base_url: http://x, model: m, timeout_ms: 86400001 }\n",
      "model.timeout_ms: must be an integer from 1 to 86400000, not 86400001",
    ],
    [
      "provider",
      "model: { base_url: http://x, model: m, providers: [{ base_url: http://y, model: n, idle_ms: 3000000000 }] }\n",
      "model.providers.0.idle_ms: must be an integer from 1 to 86400000, not 3000000000",
    ],
  ])("names the bound of a value that is out of it: %s", (_, text, message) =>
    withFile(text, async (file) => {
      await expect(loadConfig({ file, env: {}, flags: {} })).rejects.toThrow(message);
    }),
  );

  it("names the keys of a model that its further providers do not take", () => {
    const { shape } = modelConfig;
    const provider = shape.providers.unwrap().element;
    const refused = Object.keys(shape).filter((key) => !(key in provider.shape || `${key}_file` in provider.shape));
    const named = / except (.*), which/.exec(TEXTS["model.providers"])?.[1]?.split(/, | and /);
    expect(named?.toSorted()).toEqual(refused.toSorted());
  });

  it("bounds every length of time below 2^31 ms, from where a timer of Node.js fires at once", () => {
    const units = { ms: 1, s: 1000 };
    const longest = configKeys().flatMap(({ name, schema }) => {
      const unit = /_(ms|s)$/.exec(name)?.[1] as keyof typeof units | undefined;
      const { maximum = Infinity } = z.toJSONSchema(schema);
      return unit === undefined ? [] : [{ name, ms: maximum * units[unit] }];
    });
    expect(longest.length).toBeGreaterThan(15);
    expect(longest.filter(({ ms }) => ms >= 2 ** 31)).toEqual([]);
  });

  it.each([
    "server: { port: 0 }\nadmin: { port: 0 }\nmetrics: { port: 0 }\n",
    'admin: { port: 9000 }\nmetrics: { port: 9000, host: "::1" }\n',
  ])("takes one port on two hosts, and any free port for each: %j", (text) =>
    withFile(text, async (file) => {
      const { config } = await loadConfig({ file, env: {}, flags: {} });
      expect(config.admin.port).toBe(config.metrics.port);
    }),
  );

  it("takes flags before the environment, that before the file, that before defaults", () =>
    withFile("server: { port: 1 }\nquota: { free_daily: 1 }\nexchange: { rate: 1 }\n", async (file, folder) => {
      const env = { ANP_SERVER_PORT: "2", ANP_QUOTA_FREE_DAILY: "2", UNRELATED: "x" };
      const { config, baseDir } = await loadConfig({
        file,
        env,
        flags: { "server.port": 3, "server.host": undefined },
      });
      expect([config.server.port, config.quota.free_daily, config.exchange.rate]).toEqual([3, 2, 1]);
      expect(config.server.host).toBe("127.0.0.1");
      expect(baseDir).toBe(folder);
    }));

  it("takes an IPv6 address with the brackets that it has in a URL", async () => {
    const { config } = await loadConfig({ env: { ANP_SERVER_HOST: "[::1]" }, flags: { "admin.host": "::1" } });
    expect([config.server.host, config.admin.host, addressOf(config.server)]).toEqual([
      "::1",
      "::1",
      "http://[::1]:8787",
    ]);
  });

  it("takes an empty variable as not set", async () => {
    const env = { ANP_SERVER_PORT: "", ANP_SERVER_HOST: "", ANP_AUTH_JWT_SECRET_FILE: "" };
    const { config } = await loadConfig({ env, flags: {} });
    expect([config.server.port, config.server.host, config.auth.jwt]).toEqual([8787, "127.0.0.1", undefined]);
  });

  it("takes the file's storage relative to the file, a flag's relative to the working directory", () =>
    withFile("storage: fs:./data\n", async (file, folder) => {
      expect((await loadConfig({ file, env: {}, flags: {} })).config.storage).toBe(`fs:${join(folder, "data")}`);
      expect((await loadConfig({ file, env: {}, flags: { storage: "fs:./x" } })).config.storage).toBe("fs:./x");
    }));

  it.each(["", " \n", "# server: { port: 1 }\n", "---\n"])("refuses a file without content: %j", (text) =>
    withFile(text, async (file) => {
      await expect(loadConfig({ file, env: {}, flags: {} })).rejects.toThrow(`The configuration ${file} is empty`);
      await writeFile(file, "{}");
      expect((await loadConfig({ file, env: {}, flags: {} })).config.server.port).toBe(8787);
    }),
  );

  it("refuses an unknown key, a value out of its bounds and an unreadable file, naming each", async () => {
    const load = (text: string) => withFile(text, (file) => loadConfig({ file, env: {}, flags: {} }));
    await expect(load("exchnage: { rate: 1 }")).rejects.toThrow("exchnage: is not a known key");
    await expect(load("quota: { free: 1 }")).rejects.toThrow("quota.free: is not a known key");
    await expect(load("quota: { timezone: Asia/Shanghai, free_daily: -1 }")).rejects.toThrow(
      /quota\.timezone: must be an offset.*\nquota\.free_daily/,
    );
    await expect(load("a: [")).rejects.toThrow("Cannot read the configuration");
    await expect(load("- a")).rejects.toThrow("must hold an object");
    await expect(loadConfig({ file: "/nowhere.yaml", env: {}, flags: {} })).rejects.toThrow(ConfigError);
    await expect(loadConfig({ env: { ANP_SERVER_PORT: "many" }, flags: {} })).rejects.toThrow("server.port");
    expect((await load("{}")).config.server.port).toBe(8787);
  });

  it("names the variable or the file, the value and the bound of what is wrong, and the key that was meant", () =>
    withFile(
      "sever: { port: 1 }\nlimits: { rates: { chat: { window_s: 0 } } }\nnews: { sources: [{ id: a, nam: A }] }\n" +
        "model: { model: m }\n" +
        "plans: { gold: { memory: true, foo: 1 } }\ndatabase: x\n",
      async (file) => {
        const env = { ANP_SERVER_PORT: "abc", ANP_SERVER_DOCS: "yes", ANP_LOG_LEVEL: "loud", ANP_SERVR_HOST: "x" };
        const fault: unknown = await loadConfig({ file, env, flags: {} }).catch((error: unknown) => error);
        expect((fault as Error).message.split("\n").sort()).toEqual([
          "ANP_SERVR_HOST: is not a known environment variable. Did you mean ANP_SERVER_HOST?",
          `database: is not a known key (${file})`,
          `limits.rates.chat.window_s: must be an integer from 1 to 86400, not 0 (${file})`,
          'log.level: must be one of debug, info, warn, error, silent, not "loud" (ANP_LOG_LEVEL in the environment)',
          "model.base_url: is required (ANP_MODEL_BASE_URL in the environment)",
          `news.sources.0.lang: is required (${file})`,
          `news.sources.0.nam: is not a known key (${file}). Did you mean name?`,
          `news.sources.0.name: is required (${file})`,
          `news.sources.0.url: is required (${file})`,
          `plans.gold.advanced_research: is required (${file})`,
          `plans.gold.foo: is not a known key (${file}). Known keys: memory, advanced_research`,
          'server.docs: must be true or false, not "yes" (ANP_SERVER_DOCS in the environment)',
          'server.port: must be an integer from 0 to 65535, not "abc" (ANP_SERVER_PORT in the environment)',
          `sever: is not a known key (${file}). Did you mean server?`,
        ]);
      },
    ));

  it("takes secrets from files and the environment, and refuses them in its own file without repeating them", () =>
    withFile("model: { base_url: http://m.example, model: m, api_key_file: key }\n", async (file, folder) => {
      await writeFile(join(folder, "key"), "from-the-file\n");
      const load = (env: Record<string, string>) => loadConfig({ file, env, flags: {} });
      expect((await load({})).config.model?.api_key).toBe("from-the-file");
      expect((await load({ ANP_MODEL_API_KEY: "from-the-environment" })).config.model?.api_key).toBe(
        "from-the-environment",
      );
      await writeFile(join(folder, "other"), "from-another-file");
      const aside = { ANP_MODEL_API_KEY_FILE: join(folder, "other") };
      expect((await load(aside)).config.model?.api_key).toBe("from-another-file");
      await expect(load({ ...aside, ANP_MODEL_API_KEY: "x" })).rejects.toThrow("exclude each other");
      await expect(load({ ANP_MODEL_API_KEY_FILE: join(folder, "none") })).rejects.toThrow(
        "model.api_key: the file that ANP_MODEL_API_KEY_FILE names cannot be read",
      );
      await writeFile(join(folder, "key"), "\n");
      await expect(load({})).rejects.toThrow("model.api_key: the file");

      for (const [text, key] of [
        ["model: { base_url: http://m.example, model: m, api_key: hush-hush }", "model.api_key"],
        [`auth: { jwt: { secret: ${"hush-hush".repeat(4)} } }`, "auth.jwt.secret"],
        ["storage: redis://anp:hush-hush@127.0.0.1/0", "storage"],
      ] as const) {
        await writeFile(file, text);
        const fault = (await load({}).catch((error: unknown) => error)) as Error;
        expect(fault.message).toMatch(new RegExp(`^${key}: .*must not be written in `));
        expect(fault.message).not.toContain("hush");
      }
      await writeFile(file, "{}");
      const short = (await load({ ANP_AUTH_JWT_SECRET: "hush-hush" }).catch((error: unknown) => error)) as Error;
      expect(short.message).toBe(
        "auth.jwt.secret: must have at least 32 characters (ANP_AUTH_JWT_SECRET in the environment)",
      );
    }));

  it("fills in the headers of sources from variables and files, and names what is missing, never a value", () =>
    withFile("", async (file, folder) => {
      const load = async (headers: string, env = {}) => {
        await writeFile(file, `news: { sources: [{ id: a, name: A, lang: en, url: a.xml, headers: ${headers} }] }`);
        return (await loadConfig({ file, env, flags: {} })).config.news.sources[0]?.headers;
      };
      await writeFile(join(folder, "key"), "from-a-file\n");
      const headers = `{ Authorization: "Bearer \${WIRE}", x-key: "\${file:key}", x-client: anp }`;
      expect(await load(headers, { WIRE: "from-a-variable" })).toEqual({
        Authorization: "Bearer from-a-variable",
        "x-key": "from-a-file",
        "x-client": "anp",
      });
      await expect(load(headers)).rejects.toThrow(
        "news.sources.0.headers.Authorization: cannot be filled in: the variable WIRE is not set",
      );
      await expect(load('{ x-key: "${file:none}" }')).rejects.toThrow(/^news\.sources\.0\.headers\.x-key: .*ENOENT/);
      const long = await load('{ x-key: "${WIRE}" }', { WIRE: "hush\nhush" }).catch((error: unknown) => error);
      expect((long as Error).message).toMatch(/^news\.sources\.0\.headers\.x-key: cannot be filled in: WIRE does not/);
      expect((long as Error).message).not.toContain("hush");
      await expect(load("text")).rejects.toThrow("news.sources.0.headers: must be an object");
    }));

  it("knows where each value comes from", () =>
    withFile("server: { port: 1, host: h, drain_ms: 5 }\nstorage: 'memory:'\n", async (file) => {
      const env = { ANP_SERVER_PORT: "2", ANP_SERVER_HOST: "e" };
      const flags = { "server.port": 3 };
      const { sources } = await loadConfig({ file, env, flags, fixture: { storage: "fs:own" } });
      const of = (key: string) => sources.get(key);
      expect([of("server.port"), of("server.host"), of("server.drain_ms"), of("storage"), of("log.level")]).toEqual([
        "flag",
        "environment ANP_SERVER_HOST",
        `file ${file}`,
        "fixture",
        "default",
      ]);
    }));

  it("refuses unknown variables, except those by which Kubernetes describes a service that is called anp", async () => {
    const load = (env: Record<string, string>) => loadConfig({ env, flags: {} });
    await expect(load({ ANP_STRANGER: "x", ANP_PORT: "9999" })).rejects.toThrow(
      "ANP_STRANGER: is not a known environment variable.\n" +
        "ANP_PORT: is not a known environment variable. Did you mean ANP_SERVER_PORT?",
    );
    const service = { ANP_PORT: "tcp://10.0.0.11:8787", ANP_PORT_8787_TCP_PORT: "8787", ANP_SERVICE_HOST: "10.0.0.11" };
    expect((await load(service)).config.server.port).toBe(8787);
    await expect(load({ ANP_SERVICE_HOST: "10.0.0.11" })).rejects.toThrow("ANP_SERVICE_HOST");
  });

  it("takes lists from the environment with commas, and a section without keys for none", () =>
    withFile("server:\n  cors:\nlimits:\n", async (file) => {
      const env = { ANP_SERVER_CORS_ORIGINS: "https://a.example, https://b.example:8443" };
      const { config } = await loadConfig({ file, env, flags: {} });
      expect(config.server.cors.origins).toEqual(["https://a.example", "https://b.example:8443"]);
      expect(config.limits.in_flight).toBe(2000);
    }));
});

describe("the example of a configuration", () => {
  it("means the defaults as it is, and what it says of every key with its comment marks removed", () =>
    withFile(exampleConfig(), async (file, folder) => {
      const { config } = await loadConfig({ file, env: {}, flags: { storage: "fs:./.anp/data" } });
      expect(config).toEqual((await loadConfig({ env: {}, flags: {} })).config);

      await writeFile(join(folder, "api_key"), "k");
      await mkdir(join(folder, "secrets"));
      await writeFile(join(folder, "secrets/api_key"), "k");
      const on = exampleConfig()
        .replaceAll("/run/secrets", "secrets")
        .replaceAll(/^( *)# ((?: *# |(?! )[a-z_]+:| {2}))/gm, "$1$2")
        // Exactly one of these two may stand.
        .replaceAll(/^ *secret_file:.*$/gm, "");
      await writeFile(file, on);
      const whole = await loadConfig({ file, env: {}, flags: {} });
      const unset = [...whole.sources].filter(([, source]) => source === "default").map(([key]) => key);
      expect(unset).toEqual(["auth.jwt.secret"]);
    }));

  it("explains every key, and no secret has a place in the schema for editors", () => {
    const keys = configKeys();
    expect(keys.filter(({ description }) => description === "").map(({ name }) => name)).toEqual([]);
    const schema = JSON.stringify(configJsonSchema());
    for (const key of ["api_key", "secret"]) {
      expect(schema).toContain(`"${key}_file"`);
      expect(schema).not.toContain(`"${key}":{`);
    }
  });
});
