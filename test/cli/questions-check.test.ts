import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { anp, REPEATABLE } from "./anp.ts";

it("asks each recommended question in both languages, charges nothing, and fails for those without a sure answer", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  onTestFinished(remove);
  const on = ["--demo", ...REPEATABLE];
  const refreshed = await anp(["news", "refresh", "--mode", "full", ...on], { cwd });
  expect(refreshed.code).toBe(0);
  const { code, stdout, stderr } = await anp(["questions", "--check", "--json", ...on], { cwd });
  const rows = JSON.parse(stdout) as { question: string; outcome: string; source: string | null }[];
  expect(rows).toHaveLength(48);
  const byQuestion = new Map(rows.map((row) => [row.question, row]));
  expect(byQuestion.get("如何注册账户？")).toMatchObject({
    outcome: "answered",
    route: "help",
    lang: "zh",
    scene: "home",
  });
  expect(byQuestion.get("What is the market sentiment now?")).toMatchObject({ outcome: "figures", source: null });
  const doubtful = rows.filter(({ outcome }) => outcome !== "answered" && outcome !== "figures");
  expect(doubtful.length).toBeLessThan(10);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${doubtful.length} of 48 have no sure answer.`)]);
  const ledger = await anp(["ledger", "demo", "--json", ...on], { cwd });
  expect(ledger.stdout).not.toContain("chat_cost");
  const remote = await anp(["questions", "--check", "--url", "http://127.0.0.1:9", "--token", "t"], { cwd });
  expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining("give --storage")]);
});
