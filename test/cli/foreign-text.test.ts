import { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Context } from "../../src/cli/framework/command-context.ts";
import type { CommandIo } from "../../src/cli/framework/command-io.ts";
import { main } from "../../src/cli/main.ts";
import { printRows } from "../../src/cli/terminal/print.ts";
import { openTerminal } from "../../src/cli/terminal/terminal.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const HARMFUL = "a\u0007b\u001b[2J\u001b[8mc\u009b1md\u202eefed\u2066\u200f\r";

/** What a terminal, or a pipe, gets of both streams. */
async function shown(isTTY: boolean): Promise<Record<"out" | "err" | "more" | "painted", string>> {
  const texts = { out: "", err: "" };
  const sink = (name: "out" | "err") =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          texts[name] += chunk.toString();
          done();
        },
      }),
      { isTTY },
    );
  const [stdout, stderr] = [sink("out"), sink("err")];
  const stdin = Readable.from([]);
  const io = { stdin, stdout, stderr, env: { TERM: "xterm" }, clock: systemClock };
  const terminal = openTerminal(
    { color: true, input: false, quiet: false },
    io as unknown as Parameters<typeof openTerminal>[1],
  );
  await terminal.write(`${JSON.stringify({ text: HARMFUL })}\n`);
  terminal.say(HARMFUL);
  const { out } = texts;
  const context = { terminal, globals: { format: "csv" } } as unknown as Context;
  await terminal.write(HARMFUL);
  await main([HARMFUL], io as unknown as CommandIo);
  await printRows(context, { rows: [{ text: HARMFUL }], columns: [{ name: "text" }] });
  return { out, err: texts.err, more: texts.out.slice(out.length), painted: terminal.paint("red", "x") };
}

it("escapes control characters on a terminal, where JSON stays the same JSON, and leaves them alone in a pipe", async () => {
  const { out, err, more, painted } = await shown(true);
  expect(`${out}${err}${more}`).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(JSON.parse(out)).toEqual({ text: HARMFUL });
  expect(painted).toBe("\u001b[31mx\u001b[39m");
  const piped = await shown(false);
  expect(piped.out).toBe(`${JSON.stringify({ text: HARMFUL })}\n`);
  expect(piped.err).toBe(`${HARMFUL}\nerror: unknown command '${HARMFUL}'\n`);
  expect(piped.more).toBe(`${HARMFUL}text\n"${HARMFUL}"\n`);
});

it("guards a text in CSV that a spreadsheet would run, and leaves numbers alone", async () => {
  const run = async (...args: string[]) => (await anp([...args, "--storage", "fs:csv"], { cwd: folder.path })).stdout;
  for (const user of ["=1+1", "＝1", "@SUM(A1)", "+1", "plain"]) await run("users", "create", user);
  const first = (await run("users", "list", "--format", "csv")).split("\n").map((line) => line.split(",")[0]);
  expect(first.slice(1, -1).sort()).toEqual(["'+1", "'=1+1", "'@SUM(A1)", "'＝1", "plain"]);
  await run("points", "adjust", "plain", "7", "--reason", "x", "--yes");
  await run("points", "adjust", "plain", "-5", "--reason", "x", "--yes");
  expect(await run("ledger", "plain", "--format", "csv")).toMatch(/,-5,/);
  expect(await run("users", "list", "--format", "tsv")).toContain("\n=1+1\t");
});

const IDS = [" a", "a", "a ", "x\u202ey", "xy", "a\\tb", "a\tb", "k\u200bm", "c  d", "岚\u3000", "\u{e0041}z"];

/** What a pipe or a terminal gets of users with such ids. */
async function listed(format: string, isTTY: boolean): Promise<string> {
  let text = "";
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    text += chunk.toString();
    done();
  };
  const stdout = Object.assign(new Writable({ write }), { isTTY });
  const io = { stdin: Readable.from([]), stdout, stderr: stdout, env: {}, clock: systemClock };
  const terminal = openTerminal(
    { color: false, input: false, quiet: false },
    io as unknown as Parameters<typeof openTerminal>[1],
  );
  const rows = IDS.map((user_id) => ({ user_id, note: `${user_id}\r\n\u001b[2J` }));
  const context = { terminal, globals: { format } } as unknown as Context;
  await printRows(context, { rows, columns: [{ name: "user_id" }, { name: "note" }] });
  return text;
}

it("keeps every character in tab-separated lines, on one line each, for a program to read back", async () => {
  const text = await listed("tsv", false);
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
  const lines = text.split("\n").slice(1, -1);
  expect(lines.map((line) => line.split("\t")[0])).toEqual([
    ...[" a", "a", "a ", "x\\u202ey", "xy", "a\\\\tb", "a\\tb", "k\u200bm", "c  d", "岚\u3000", "\u{e0041}z"],
  ]);
  const read = (field: string): string => JSON.parse(`"${field.replaceAll('"', '\\"')}"`) as string;
  expect(lines.map((line) => line.split("\t").map(read))).toEqual(IDS.map((id) => [id, `${id}\r\n\u001b[2J`]));
  expect(await listed("tsv", true)).toBe(text);
});

it("keeps every character in CSV, and shows an id's invisible ones in a table", async () => {
  expect(await listed("csv", false)).toContain('\na ,"a \r\n\u001b[2J"\nx\u202ey,');
  const shown = (await listed("table", true)).split("\n").slice(1, -1);
  expect(shown.map((line) => line.split(/ {2,}|(?<=\S) (?=\S*\[)/)[0])).toEqual([
    ...["\\u0020a", "a", "a\\u0020", "x\\u202ey", "xy", "a\\tb", "a\\u0009b", "k\\u200bm", "c\\u0020 d", "岚\\u3000"],
    "\\udb40\\udc41z",
  ]);
});

it("takes a user's id as it is given: white space at its ends is another user's", async () => {
  const run = (...args: string[]) => anp([...args, "--storage", "fs:ids"], { cwd: folder.path });
  expect((await run("users", "create", " a ", "--json")).stdout).toContain('"user_id": "a"');
  expect((await run("users", "show", "a")).code).toBe(0);
  expect((await run("users", "show", " a")).code).toBe(5);
  expect((await run("users", "show", " ")).code).toBe(2);
});
