import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { encodeSegment } from "../../src/storage/keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fillLedgers, USERS } from "../support/ledgers.ts";
import type { Ended } from "../support/program.ts";
import { anp, serveHere, type DaemonHere } from "./anp.ts";

const [ALICE, UMIT, LONG] = USERS;
const DIGEST = encodeSegment(LONG);
const DATA = ["--storage", "fs:data", "--now", "2026-11-20T04:00:00Z"];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
let daemon: DaemonHere;
let admin: string;
let token: string;

/** Three users with five entries each: the profiles of Ümit/1 and of a long id are damaged, and the third entry of alice. */
beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  const storage = await openStorage(`fs:${join(cwd, "data")}`);
  await fillLedgers(storage, 5);
  await storage.close();
  const added = await anp(["operators", "add", "mei", "--role", "operator", "--actor", "root", ...DATA], { cwd });
  token = added.stdout.trim();
  for (const user of [UMIT, LONG]) await writeFile(join(cwd, `data/users/${encodeSegment(user)}/profile.json`), "{\n");
  const entry = join(cwd, "data/users/alice/ledger/0/3.json");
  await writeFile(entry, (await readFile(entry, "utf8")).slice(0, 40));
  daemon = await serveHere(DATA, { cwd, env: { ANP_ADMIN_PORT: "0" } });
  admin = /"admin":"([^"]+)"/.exec(daemon.log())![1]!;
});

afterAll(async () => {
  await daemon.end();
  await folder.remove();
});

const here = (args: readonly string[]): Promise<Ended> => anp([...args, ...DATA], { cwd });
const there = (args: readonly string[]): Promise<Ended> =>
  anp([...args, "--url", admin], { cwd, env: { ANP_TOKEN: token } });

const profileOf = (user: string, name = user): string =>
  `${name}: The stored value of users/${encodeSegment(user)}/profile is damaged: `;
const ENTRY = "alice: The stored value of users/alice/ledger/0/3 is damaged: ";

/** The lines of stderr, each of damage cut after its key. */
const said = ({ stderr }: Ended): string[] =>
  stderr
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/(damaged: ).+/, "$1"));
const rows = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const CASES = [
  {
    args: ["users", "list"],
    headline: "All other users were listed.",
    damage: [profileOf(UMIT), profileOf(LONG, DIGEST)],
    shown: [ALICE],
  },
  {
    args: ["ledger", "search", "--type", "adjust"],
    headline: "Everything else was searched.",
    damage: [profileOf(LONG, DIGEST), ENTRY],
    shown: [ALICE, ALICE, ALICE, ALICE, UMIT, UMIT, UMIT, UMIT],
  },
  {
    args: ["ledger", "top", "--by", "asked"],
    headline: "The totals lack these users; all others were counted.",
    damage: [profileOf(LONG, DIGEST), ENTRY],
    shown: [UMIT],
  },
  {
    // The reference of the first entry of each user.
    args: ["ledger", "show", "1"],
    headline: "Everything else was searched.",
    damage: [profileOf(LONG, DIGEST), ENTRY],
    shown: [ALICE, UMIT],
  },
  {
    args: ["ledger", "export", "--entries"],
    headline: "Of these users the rest is missing; all others are whole.",
    damage: [profileOf(LONG, DIGEST), ENTRY],
    shown: [ALICE, ALICE, UMIT, UMIT, UMIT, UMIT, UMIT],
  },
] as const;

it.each(CASES)("$args.0 $args.1 shows all else, and names each damaged user", async (one) => {
  for (const run of [here, there]) {
    const ended = await run([...one.args, "-o", "jsonl"]);
    expect(rows(ended).map(({ user_id }) => user_id)).toEqual(one.shown);
    expect(ended.code).toBe(1);
    const [headline, ...damage] = said(ended).filter((line) => !line.includes("show one by its number"));
    expect(headline).toBe(`error: The storage is damaged. ${one.headline}`);
    expect(damage.sort()).toEqual([...one.damage].sort());
  }
});

it("finds the entries on both sides of a damaged one", async () => {
  const ended = await here(["ledger", "search", "--type", "adjust", "-o", "jsonl"]);
  expect(rows(ended).flatMap(({ user_id, id }) => (user_id === ALICE ? [id] : []))).toEqual([5, 4, 2, 1]);
});

it("says that a reference was not found only where everything was searched", async () => {
  const { code, stdout, stderr } = await here(["ledger", "show", "nowhere"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("nowhere was not found. The storage is damaged. Everything else was searched.");
  const show = (id: string) => here(["ledger", "show", id, "--user", ALICE, "-o", "jsonl"]);
  for (const [id, code] of [
    ["entry:4", 0],
    ["4", 1], // The damaged entry may have this reference.
  ] as const) {
    const answered = await show(id);
    expect([answered.code, rows(answered)[0]]).toEqual([code, expect.objectContaining({ entry_id: 4 })]);
  }
});

it("shows an entry of which the answer is damaged", async () => {
  const show = () => here(["ledger", "show", "3", "-o", "jsonl"]);
  const [shown] = rows(await show());
  const answer = join(cwd, `data/messages/${String(shown!["message_id"])}.json`);
  const text = await readFile(answer, "utf8");
  await writeFile(answer, "{");
  const ended = await show();
  await writeFile(answer, text);
  expect(rows(ended)[0]).toMatchObject({ user_id: UMIT, entry_id: 3, question: null, answer: null });
  expect(said(ended)).toContain(
    `${String(shown!["message_id"])}: The stored value of messages/${String(shown!["message_id"])} is damaged: `,
  );
});

it("leaves the end out of an export that lacks something", async () => {
  const ended = await here(["ledger", "export"]);
  const lines = rows(ended);
  expect([ended.code, lines[0]]).toEqual([1, expect.objectContaining({ anp_export: "ledger" })]);
  expect(lines.flatMap(({ anp_export_end }) => anp_export_end ?? [])).toEqual([]);
  const owners = lines.flatMap(({ id, user_id }) => (id === undefined ? [] : [user_id]));
  expect(owners).toEqual([ALICE, ALICE, ...Array<string>(5).fill(UMIT)]); // Alice's up to the damaged one.
  expect(said(ended).slice(1).sort()).toEqual(
    [profileOf(LONG, DIGEST), ENTRY, profileOf(UMIT).replace(encodeSegment(UMIT), UMIT)].sort(),
  );
  const json = await here(["ledger", "export", "-o", "json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(`${json.stdout}]`)).toHaveLength(7);
  const one = await here(["ledger", "export", ALICE]);
  expect([one.code, said(one).slice(1), one.stdout]).toEqual([1, [ENTRY], expect.not.stringContaining("_end")]);
});

it("answers at the admin address with what it left out, and the exit code 1, as the document there says", async () => {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const init = { method: "POST", headers, body: JSON.stringify({ by: "asked", format: "jsonl" }) };
  const text = await (await fetch(`${admin}/admin/v1/ledger/top`, init)).text();
  const frames = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { out?: string; err?: string });
  expect(frames.map((frame) => Object.keys(frame)[0])).toEqual(["out", "err", "exit"]);
  expect(frames[1]!.err).toContain(ENTRY);
  expect(frames[2]).toEqual({ exit: 1 });
  const document = (await (await fetch(`${admin}/admin/openapi.json`)).json()) as {
    components: { schemas: { Frame: { oneOf: { properties: object }[] } } };
  };
  const described = document.components.schemas.Frame.oneOf.map(({ properties }) => JSON.stringify(properties));
  expect(described.filter((text) => text.includes("damaged"))).toEqual([
    expect.stringMatching(/^\{"err".+each user of whom something damaged was left out/),
    expect.stringMatching(/^\{"exit".+1 also when damaged values were left out/),
  ]);
});

it("names an unknown user, whatever is damaged of others", async () => {
  const { code, stderr } = await here(["quota", "nobody"]);
  expect([code, stderr]).toEqual([5, expect.stringContaining("User nobody is not known")]);
});

it("takes the profile of another user for damage of the user under whose key it is", async () => {
  const own = ["--storage", "fs:swapped"];
  for (const user of ["ann", "ben", LONG]) await anp(["users", "create", user, ...own], { cwd });
  const profile = (user: string): string => join(cwd, "swapped/users", encodeSegment(user), "profile.json");
  for (const user of ["ann", LONG]) await writeFile(profile(user), await readFile(profile("ben")));
  const damage = ["ann", DIGEST].map((name) => `${name}: The stored value of users/${name}/profile is damaged: `);
  const listed = await anp(["users", "list", "-o", "jsonl", ...own], { cwd });
  expect([listed.code, rows(listed)]).toEqual([1, [expect.objectContaining({ user_id: "ben" })]]);
  expect(said(listed).slice(1).sort()).toEqual(damage);
  expect(listed.stderr).toContain("it is the profile of ben");
  const exported = await anp(["ledger", "export", ...own], { cwd });
  expect(rows(exported).flatMap(({ user }) => user ?? [])).toEqual([expect.objectContaining({ user_id: "ben" })]);
  expect(said(exported).slice(1).sort()).toEqual(damage);
  const erased = await anp(["users", "erase", "ann", "--reason", "r", "--yes", ...own], { cwd });
  expect([erased.code, erased.stderr]).toEqual([1, expect.stringContaining("it is the profile of ben")]);
});
