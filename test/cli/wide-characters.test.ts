import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { anp, anpInTerminal } from "./anp.ts";

const USERS = ["plain", "用户一", "ユーザー", "한국어", "𠮷野家", "ｆｕｌｌ", "（全角）、。", "e\u0301tude", "😀😀"];

it("keeps columns below each other whatever the script", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  for (const user of USERS)
    expect((await anp(["users", "create", user, "--storage", "fs:data"], { cwd })).code).toBe(0);
  const { screen } = await anpInTerminal(["users", "list", "--no-color", "--storage", "fs:data"], { cwd });
  const [head, ...rows] = screen.trimEnd().split("\n");
  const at = columnsOf(head!.slice(0, head!.indexOf("LANG")));
  expect(rows).toHaveLength(USERS.length);
  for (const row of rows) expect(columnsOf(row.slice(0, row.search(/zh +20\d\d-/))), row).toBe(at);
  await remove();
});

/** Columns that a text takes on a terminal: 2 for wide characters (Unicode UAX #11) and emoji, none for marks. */
function columnsOf(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
  return Array.from(text).reduce((sum, char) => sum + (/\p{M}/u.test(char) ? 0 : wide.test(char) ? 2 : 1), 0);
}
