import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Finding } from "../../src/storage/health/finding.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster } from "../support/redis-cluster.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { startRedisProxy } from "../support/redis-proxy.ts";

const KEEPS_ALL = { appendonly: "yes", appendfsync: "always" };

describe.skipIf(noRedis !== undefined)("examination of a Redis", () => {
  const servers: RedisServer[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  async function start(config: Record<string, string>): Promise<RedisServer> {
    const server = await startRedis({ config });
    servers.push(server);
    return server;
  }

  async function examine(url: string, now = Date.now()): Promise<Finding[]> {
    const storage = await openStorage(url);
    try {
      return await storage.examine(now);
    } finally {
      await storage.close();
    }
  }

  const wrong = (findings: readonly Finding[]): string[] =>
    findings
      .filter(({ level }) => level !== "ok")
      .map(({ level, subject, loses, remedy }) =>
        [level, subject, loses ?? "loses nothing", remedy ?? "no remedy"].join(" | "),
      );

  it("has no finding where every write is synced and nothing is evicted", async () => {
    const server = await start(KEEPS_ALL);
    const findings = await examine(server.url());
    expect(wrong(findings)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual([
      "version",
      "role",
      "appendfsync",
      "maxmemory-policy",
      "replicas",
      "clock",
    ]);
  });

  it("reports what each setting may lose, and the setting that fixes it", async () => {
    const server = await start({ "maxmemory-policy": "allkeys-lru" });
    expect(wrong(await examine(server.url()))).toEqual([
      "warning | appendonly | everything since the last snapshot, when the server stops | " +
        "CONFIG SET appendonly yes, and in redis.conf: appendonly yes",
      "warning | maxmemory-policy | entries of users' ledgers, when the memory is full | " +
        "CONFIG SET maxmemory-policy noeviction, and in redis.conf: maxmemory-policy noeviction",
    ]);
    await server.command("CONFIG", "SET", "appendonly", "yes");
    await server.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
    expect(wrong(await examine(server.url()))).toEqual([
      expect.stringContaining("appendfsync | up to two seconds of writes"),
      expect.stringContaining("maxmemory-policy | loses nothing"),
    ]);
    await server.command("CONFIG", "SET", "appendfsync", "no");
    await server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    expect(wrong(await examine(server.url()))).toEqual([
      expect.stringContaining("CONFIG SET appendfsync always, and in redis.conf: appendfsync always"),
    ]);
  });

  it("reports a password that the server does not need, and nothing goes to the console", async () => {
    const warn = vi.spyOn(console, "warn");
    onTestFinished(() => warn.mockRestore());
    const server = await start(KEEPS_ALL);
    const withUser = (user: string): string => server.url().replace("://", `://${user}@`);
    const needless = "warning | password | loses nothing | Set requirepass on the server, or leave the password out";
    for (const user of [":needless", "default:needless"])
      expect(wrong(await examine(withUser(user)))).toEqual([needless]);
    await server.command("ACL", "SETUSER", "anp", "on", ">secret", "~*", "&*", "+@all", "-acl");
    expect(wrong(await examine(withUser("anp:secret")))).toEqual([]);
    expect(await server.command("ACL", "LOG")).toEqual([]);
    await server.command("CONFIG", "SET", "requirepass", "needed");
    expect(wrong(await examine(withUser(":needed")))).toEqual([]);
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const found = wrong(await examine(cluster.url().replace("://", "://:needless@")));
    expect(found.filter((line) => / password /.test(line))).toHaveLength(3);
    expect(warn).not.toHaveBeenCalled();
  });

  it("reports that a sync of every write is left out while a file is rewritten", async () => {
    const server = await start({ ...KEEPS_ALL, "no-appendfsync-on-rewrite": "yes" });
    expect(wrong(await examine(server.url()))).toEqual([
      "warning | appendfsync | half a minute of writes or more, when the server's machine stops while its files are " +
        "being rewritten | CONFIG SET no-appendfsync-on-rewrite no, and in redis.conf: no-appendfsync-on-rewrite no",
    ]);
    await server.command("CONFIG", "SET", "no-appendfsync-on-rewrite", "no");
    expect(wrong(await examine(server.url()))).toEqual([]);
  });

  it("says so where the server does not report its settings, as hosted ones do not", async () => {
    const server = await start(KEEPS_ALL);
    await server.command("ACL", "SETUSER", "guest", "on", ">word", "~*", "+@all", "-config");
    const findings = await examine(server.url().replace("://", "://guest:word@"));
    expect(wrong(findings)).toEqual([expect.stringContaining("appendfsync | up to two seconds of writes")]);
  });

  it("reports replicas that no write waits for, and too few of them", async () => {
    const primary = await start(KEEPS_ALL);
    expect(wrong(await examine(primary.url({ wait_replicas: "1" })))).toEqual([
      expect.stringContaining("error | replicas | loses nothing | Connect the replicas"),
    ]);
    const replica = await start({ ...KEEPS_ALL, replicaof: `127.0.0.1 ${primary.port}` });
    await expect.poll(() => primary.command("INFO", "replication")).toMatch("state=online");
    expect(wrong(await examine(primary.url()))).toEqual([
      "warning | replicas | the last moments of acknowledged writes, when a replica takes over | " +
        "Add wait_replicas=1 to the storage URL.",
    ]);
    expect(wrong(await examine(primary.url({ wait_replicas: "1" })))).toEqual([]);
    expect(wrong(await examine(replica.url()))).toEqual([
      "error | role | loses nothing | Let the storage URL name the primary.",
    ]);
  });

  it("compares the clocks", async () => {
    const server = await start(KEEPS_ALL);
    expect(wrong(await examine(server.url(), Date.now() - 3_600_000))).toEqual([
      expect.stringContaining("warning | clock"),
    ]);
  });

  it("does not take a slow reply for a clock that differs", async () => {
    const server = await start(KEEPS_ALL);
    const proxy = await startRedisProxy(Number(new URL(server.url()).port));
    proxy.decide(({ direction, command }) => {
      return direction === "reply" && command[0]?.toUpperCase() === "TIME" ? { after: 2500 } : "pass";
    });
    const url = new URL(server.url());
    url.port = String(proxy.port);
    url.searchParams.set("timeout_ms", "5000");
    const found = await examine(url.href);
    expect(found).toContainEqual(expect.objectContaining({ subject: "clock", level: "ok" }));
    await proxy.stop();
  });

  it("looks at every primary of a cluster, and at the cluster's state", async () => {
    const cluster = await startCluster();
    try {
      const findings = await examine(cluster.url());
      expect(findings[0]).toMatchObject({ level: "ok", subject: "cluster" });
      expect(findings.filter(({ subject }) => /^127\.0\.0\.1:\d+ appendonly$/.test(subject))).toHaveLength(3);
    } finally {
      await cluster.stop();
    }
  });

  it("names a primary of a cluster that does not answer, and still looks at the others", async () => {
    const cluster = await startCluster({ lossMs: 1000, config: KEEPS_ALL });
    onTestFinished(() => cluster.stop());
    const storage = await openStorage(cluster.url());
    onTestFinished(() => storage.close());
    await storage.put(["a"], "1");
    const [dead] = cluster.shards;
    const slots = dead!.lastSlot - dead!.firstSlot + 1;
    await dead!.server.stop();
    const lost = {
      level: "error",
      subject: `127.0.0.1:${dead!.server.port} slots`,
      message: expect.stringContaining(`The ${slots} slots of this primary are not served: `) as string,
    };
    const found = await storage.examine(Date.now());
    expect(found).toContainEqual(expect.objectContaining(lost));
    expect(found.filter(({ subject }) => subject.endsWith(" appendfsync"))).toHaveLength(2);
    const served = `${16_384 - slots} of 16384 slots are served`;
    const state = { level: "error", subject: "cluster", message: expect.stringContaining(served) as string };
    await expect
      .poll(() => storage.examine(Date.now()), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining(state));
  });
});
