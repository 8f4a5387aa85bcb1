import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, loadConfig } from "../../src/service/load-config.ts";
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

  it("takes the file's storage relative to the file, a flag's relative to the working directory", () =>
    withFile("storage: fs:./data\n", async (file, folder) => {
      expect((await loadConfig({ file, env: {}, flags: {} })).config.storage).toBe(`fs:${join(folder, "data")}`);
      expect((await loadConfig({ file, env: {}, flags: { storage: "fs:./x" } })).config.storage).toBe("fs:./x");
    }));

  it("refuses an unknown key, a value out of its bounds and an unreadable file, naming each", async () => {
    const load = (text: string) => withFile(text, (file) => loadConfig({ file, env: {}, flags: {} }));
    await expect(load("exchnage: { rate: 1 }")).rejects.toThrow("exchnage: is not a known key");
    await expect(load("quota: { free: 1 }")).rejects.toThrow("quota.free: is not a known key");
    await expect(load("quota: { timezone: Asia/Shanghai, free_daily: -1 }")).rejects.toThrow(
      /quota\.timezone: must be an offset.*quota\.free_daily/,
    );
    await expect(load("a: [")).rejects.toThrow("Cannot read the configuration");
    await expect(load("- a")).rejects.toThrow("must hold a map");
    await expect(loadConfig({ file: "/nowhere.yaml", env: {}, flags: {} })).rejects.toThrow(ConfigError);
    await expect(loadConfig({ env: { ANP_SERVER_PORT: "many" }, flags: {} })).rejects.toThrow("server.port");
    expect((await load("")).config.server.port).toBe(8787);
  });
});
