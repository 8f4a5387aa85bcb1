import { execFile, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { leash } from "../support/leash.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const { satisfies } = createRequire(import.meta.url)("semver") as {
  satisfies: (version: string, range: string) => boolean;
};

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
}

describe("the package", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let packed: { filename: string; files: { path: string }[] };
  /** What npm sees of this machine: nothing that a developer configured, and no registry. */
  const env = { PATH: process.env["PATH"], HOME: "" };

  beforeAll(async () => {
    folder = await temporaryFolder();
    env.HOME = folder.path;
    // Without scripts: it was built before the tests, and building again would pull files away from under other tests.
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder.path];
    const { stdout } = await run("npm", args, { cwd: root, env });
    [packed] = JSON.parse(stdout) as [typeof packed];
    const tarball = join(folder.path, packed.filename);
    await run("npm", ["install", "--global", "--prefix", folder.path, "--offline", tarball], { cwd: folder.path, env });
  });
  afterAll(() => folder.remove());

  it("holds the program, its content and its licences, and neither sources, nor maps, nor the compiled tree", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "bin/anp.js",
        "dist/bundle/anp.cjs",
        "dist/bundle/THIRD-PARTY-LICENSES.txt",
        "dist/bundle/admin-openapi.written",
        "dist/bundle/config-example.written",
        "dist/bundle/docs/swagger-ui-bundle.js",
        "dist/bundle/openapi.written",
        "dist/bundle/router.trained",
        "fixtures/demo/users.json",
      ]),
    );
    const others = paths.filter(
      (path) => !/^(LICENSE|README\.md|package\.json|bin\/|dist\/bundle\/|fixtures\/)/.test(path),
    );
    expect([others, paths.filter((path) => path.endsWith(".map"))]).toEqual([[], []]);
  });

  it("installs alone, without a network and without another package, and runs", async () => {
    expect(await readdir(join(folder.path, "lib/node_modules"))).toEqual(["anp"]);
    expect(await readdir(join(folder.path, "lib/node_modules/anp"))).not.toContain("node_modules");
    const anp = join(folder.path, "bin/anp");
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    expect((await run(anp, ["--version"], { env })).stdout).toBe(`${version}\n`);

    const child = spawn(anp, ["serve", "--demo", "--port", "0"], {
      cwd: folder.path,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    leash(child);
    let log = "";
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.on("data", (chunk: Buffer) => {
        log += chunk.toString();
        const found = /anp listens on (\S+)/.exec(log)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then(() => {
        reject(new Error(log));
      });
    });
    const me = await fetch(`${url}/api/v1/ai/me`, { headers: { "x-user-token": "alice-token" } });
    expect(await me.json()).toMatchObject({ success: true, data: { user_id: "alice" } });
    const chat = await fetch(`${url}/api/v1/ai/chat/send`, {
      method: "POST",
      headers: { "x-user-token": "alice-token", "content-type": "application/json" },
      body: JSON.stringify({ question: "提现手续费是多少？" }),
    });
    expect(chat.status).toBe(200);
    // The bundler takes some calls that throw for ones without an effect.
    expect((await fetch(`${url}/api/v1/news/hot?q=%ff`)).status).toBe(422);
    const topics = await (await fetch(`${url}/api/v1/ai/hot-topics`)).json();
    expect(topics).toMatchObject({ data: { refresh_meta: { source: "live", stale: false } } });
    expect((await fetch(`${url}/docs/swagger-ui.css`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

describe("what is bundled", async () => {
  const bundled = JSON.parse(await readFile(join(root, "dist/bundle/packages.json"), "utf8")) as Bundled[];

  it("runs on the oldest Node.js that the package takes", () => {
    const refusing = bundled.filter(({ engines }) => !satisfies("20.19.0", engines?.node ?? "*"));
    expect(refusing.map(({ name, engines }) => `${name} wants ${engines?.node}`)).toEqual([]);
    expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(["h3", "zod", "swagger-ui-dist"]));
  });

  it("names its licences, with their texts where the packages hold them", async () => {
    expect(bundled.filter(({ license }) => license === undefined)).toEqual([]);
    const text = await readFile(join(root, "dist/bundle/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const { name, version } of bundled) expect(text).toContain(`${name} ${version}: `);
    expect(text).toContain("Permission is hereby granted, free of charge");
  });
});
