import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helpText } from "../../src/cli/help/help-text.ts";
import { storageRemedy } from "../../src/storage/health/storage-remedy.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { anp } from "../cli/anp.ts";

it("names the setting, and what else may close a connection to Redis", () => {
  expect(storageRemedy("It is gone.", "--storage")).toBe("Check --storage, and that it can be reached and written.");
  expect(storageRemedy("Redis does not answer: the connection was lost")).toMatch(/^Check `storage`, .*maxclients/);
});

describe.skipIf(noRedis !== undefined)("a command on a Redis that refuses", () => {
  let server: RedisServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    server = await startRedis();
    const [commands = ""] = /\+get .*/.exec(await helpText("storage-urls")) ?? [];
    await server.command("ACL", "SETUSER", "anp", "on", ">pw", "~anp:*", ...commands.split(" "));
    await server.command("ACL", "SETUSER", "reader", "on", ">pw", "~anp:*", "+get", "+info", "+select", "+exists");
  });
  afterAll(async () => {
    await server.stop();
    await folder.remove();
  });

  it.each([
    ["anp:wrong", "0", "WRONGPASS invalid username-password pair or user is disabled.", /^Give the user and password /],
    ["anp:pw", "77", "it has no database of that number \\(ERR DB index is out of range\\)", /^Name a database /],
    ["reader:pw", "0", "NOPERM [^\n]*", /^Let that user of the server run these commands /],
  ])("reports the message and the remedy (%s, database %s)", async (login, database, says, remedy) => {
    const url = server.url().replace("redis://", `redis://${login}@`).replace(/\/0$/, `/${database}`);
    const { code, stdout, stderr } = await anp(["users", "create", "alice", "--storage", url], { cwd: folder.path });
    expect([code, stdout]).toEqual([6, ""]);
    const [error, advice] = stderr.trim().split("\n");
    expect(error).toMatch(new RegExp(`^error: (Cannot .*: )?Redis at .* refuses: ${says}$`));
    expect(advice).toMatch(remedy);
  });

  it("works with the commands that `anp help storage-urls` lists", async () => {
    const url = server.url().replace("redis://", "redis://anp:pw@");
    for (const words of [
      ["users", "create", "bob"],
      ["points", "adjust", "bob", "5", "--reason", "x", "--yes"],
      ["ledger", "verify", "--all"],
      ["storage", "export"],
      ["doctor"],
    ]) {
      const { code, stderr } = await anp([...words, "--storage", url], { cwd: folder.path });
      expect(code, words.join(" ")).toBe(0);
      expect(stderr).not.toContain("Redis");
    }
  });
});
