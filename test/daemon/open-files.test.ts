import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressIn, saysIn } from "../support/daemon.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/folder.ts";
import { leash } from "../support/leash.ts";
import { ANP, cleanEnv, ended } from "../support/program.ts";

const FILES = 64;

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs `anp` where the system allows few open files. */
function run(args: readonly string[], cwd: string) {
  const words = ["-c", `ulimit -n ${FILES}; exec "$0" "$@"`, process.execPath, ANP, ...args];
  const child = spawn("bash", words, { cwd, env: cleanEnv(cwd, {}), stdio: ["ignore", "pipe", "pipe"] });
  leash(child);
  return child;
}

describe.skipIf(process.platform !== "linux")("where few files may be open", () => {
  it("a daemon says how many connections it takes, and serves beside more of them", async () => {
    const child = run(["serve", "--demo", "--port", "0"], folder.path);
    const finished = ended(child);
    let log = "";
    child.stderr.on("data", (text: string) => (log += text));
    const says = saysIn(
      () => log,
      () => once(child.stderr, "data"),
      finished,
    );
    await says("anp listens on ");
    expect(log).toMatch(/"level":"warn",.*"connections":16,"max_connections":20000/);
    const url = addressIn(log);
    const sockets = Array.from({ length: FILES }, () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
      return once(socket, "connect").then(() => socket);
    });
    const connected = await Promise.all(sockets);
    const response = await fetch(`${url}/api/v1/ai/points/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "demo-token" },
      body: '{"token_amount":1}',
    });
    expect(response.status).toBe(200);
    for (const socket of connected) socket.destroy();
    child.kill("SIGTERM");
    expect((await finished).code).toBe(0);
  });

  it("doctor says how many connections they allow", async () => {
    const { stdout } = await ended(run(["doctor", "--json", "--storage", "memory:"], folder.path));
    expect(stdout).toContain("allows 16 connections only; server.max_connections is 20000.");
  });
});
