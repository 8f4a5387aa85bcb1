import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { anp } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

it("shows each value with its source, without secrets, and opens no storage", async () => {
  const cwd = folder.path;
  await writeFile(join(cwd, "key"), "hush-from-file");
  await writeFile(
    join(cwd, "anp.yaml"),
    "server: { port: 99 }\nmodel: { model: m, api_key_file: key, headers: { x-id: hush-too } }\nnews:\n  notices: 'https://anp:hush@feeds.example/n'\n" +
      "  sources: [{ id: a, name: A, lang: en, url: a.xml, headers: { x-key: '${file:key}' } }]\n",
  );
  const env = {
    ANP_STORAGE: "redis://anp:hush@127.0.0.1:1/0",
    ANP_MODEL_BASE_URL: "http://m.example",
    ANP_AUTH_JWT_SECRET: "hush".repeat(8),
  };
  const { code, stdout, stderr } = await anp(["config", "show", "--config", "anp.yaml"], { cwd, env });
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.split("\n");
  for (const line of [
    "key\tvalue\tsource",
    "storage\tredis://anp:***@127.0.0.1:1/0\tenvironment ANP_STORAGE",
    "server.host\t127.0.0.1\tdefault",
    "server.port\t99\tfile anp.yaml",
    "auth.jwt.secret\t(set)\tenvironment ANP_AUTH_JWT_SECRET",
    "auth.jwt.issuer\t\tnot set",
    "model.api_key\t(set)\tfile key",
    'model.headers\t{"x-id":"(set)"}\tfile anp.yaml',
    "news.notices\thttps://anp:***@feeds.example/n\tfile anp.yaml",
  ]) {
    expect(lines).toContain(line);
  }
  expect(stdout).toContain('"headers":{"x-key":"(set)"}');
  expect(stdout).not.toContain("hush");
  expect((await readdir(cwd)).sort()).toEqual(["anp.yaml", "key"]);

  const demo = await anp(["config", "show", "--demo", "--json"], { cwd });
  const rows = JSON.parse(demo.stdout) as { key: string; value: unknown; source: string }[];
  expect(rows.find(({ key }) => key === "storage")).toEqual({
    key: "storage",
    value: "fs:.anp/demo",
    source: "fixture",
  });
  expect(rows.find(({ key }) => key === "plans")?.value).toMatchObject({ pro: { memory: true } });
});

it("reports every error of a configuration on its own line, and exits 2", async () => {
  const env = { ANP_SERVER_PORT: "abc", ANP_STORGE: "memory:" };
  for (const command of [
    ["config", "show"],
    ["users", "list"],
    ["serve", "--log-level", "warn"],
  ]) {
    expect(await anp(command, { cwd: folder.path, env })).toMatchObject({
      code: 2,
      stdout: "",
      stderr:
        "error: ANP_STORGE: is not a known environment variable. Did you mean ANP_STORAGE?\n" +
        'error: server.port: must be an integer from 0 to 65535, not "abc" (ANP_SERVER_PORT in the environment)\n',
    });
  }
});
