import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Service } from "../../src/service/service.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { openCopiedService } from "./service.ts";

/** How many words of her own alice says. */
export const CANARIES = 50;

/** A world in which everything that alice says has a word of its own, and the words. */
export async function plantCanaries(storage: Storage): Promise<{ service: Service; words: string[] }> {
  const { service, clock } = await openCopiedService({ fixture: "small", seed: "erase", refresh: true }, storage);
  await service.adjust({ user: "alice", delta: 100, reason: "to ask", actor: "ops", request_id: "give" });
  const words = Array.from({ length: CANARIES }, (_, n) => `canary${n}x`);
  for (const [n, word] of words.entries()) {
    const call = { request_id: `r${n}`, user: "alice" };
    if (n % 3 === 0) await service.run("sendChat", call, { body: { question: `提现手续费是多少？ ${word}` } });
    else if (n % 3 === 1) {
      const body = { event_type: "page_view", event_payload: { [`key ${word}`]: `value ${word}` } };
      await service.run("recordEvent", call, { body });
    } else await service.tokens.issue("alice", { label: word });
  }
  await service.run("recordEvent", { request_id: "b", user: "bob" }, { body: { event_type: "bobs_event" } });
  // The end of a log may have a second name on files.
  const last = { event_type: "page_view", event_payload: { canaryLastX: true } };
  for (const request_id of ["l", "m"]) {
    await service.run("recordEvent", { request_id, user: "alice" }, { body: last });
    clock.advance(86_400_000);
  }
  return { service, words: [...words, "canaryLastX"] };
}

/** The bytes of all files. */
export async function bytesOf(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), "utf8"));
  return (await Promise.all(files)).join("\n");
}
