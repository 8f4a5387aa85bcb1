import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { anp } from "./anp.ts";

const ARTICLES = [
  { id: "bicycles", title: "Bicycles on board", body: "A bicycle costs 4 EUR. Tandems cost 7 EUR." },
  { id: "pets", title: "Travelling with pets", body: "Dogs travel free of charge on a lead. Cats stay in their box." },
];

it("joins feedback to the article that an answer quotes, and counts nobody else's", async () => {
  const folder = await temporaryFolder();
  const config = join(folder.path, "anp.yaml");
  await writeFile(join(folder.path, "help.json"), JSON.stringify({ articles: ARTICLES }));
  await writeFile(config, `storage: "fs:${folder.path}/data"\nnews: { help: { en: help.json } }\n`);
  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await anp([...args, "--config", config], { cwd: folder.path });
    expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
    return stdout;
  }
  // A light refresh leaves the help center unread, which is not a failure.
  await done("news", "refresh");
  await done("news", "refresh", "--mode", "full");
  for (const user of ["alice", "bob"]) await done("users", "create", user);
  async function ask(user: string, question: string): Promise<string> {
    const answer = JSON.parse(await done("ask", question, "--user", user, "--json")) as { message_id: number };
    return String(answer.message_id);
  }
  const [first, second, third] = [
    await ask("alice", "Bicycles on board"),
    await ask("alice", "bicycles on board?"),
    await ask("bob", "Travelling with pets"),
  ];
  const say = (user: string, message: string, feedback: string): Promise<string> =>
    done("events", "record", "answer_feedback", "--user", user, "--message", message, "--feedback", feedback);
  await say("alice", first, "inaccurate");
  // Her last word on the second answer counts.
  await say("alice", second, "inaccurate");
  await say("alice", second, "helpful");
  await say("bob", third, "helpful");
  // Neither is an answer that bob got.
  await say("bob", first, "inaccurate");
  await say("bob", "4", "inaccurate");

  const found = JSON.parse(await done("events", "stats", "--by", "article", "--json")) as object[];
  expect(found).toMatchObject([
    { article: { id: "bicycles" }, inaccurate: 1, helpful: 1, routes: ["help"], questions: ["Bicycles on board"] },
    { article: { id: "pets" }, inaccurate: 0, helpful: 1, questions: [] },
  ]);
  const table = await done("events", "stats", "--by", "article");
  expect(table).toMatch(/bicycles \(en\)\s+Bicycles on board\s+1\s+1\s+help\s+Bicycles on board/);
  await folder.remove();
});
