import { expect, it } from "vitest";
import { z } from "zod";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { Stream } from "../../src/storage/stream.ts";

const schema = z.object({ n: z.int() });

it("does not take an item for missing that was appended while its page was read", async () => {
  const base = await openStorage("memory:");
  const writer = new Stream(base, ["s", "1"], schema);
  await writer.append(0, { n: 0 });
  // As on files: the values of a page are read one after the other, and others append in between.
  const slow: Storage = {
    ...base,
    async getMany(keys) {
      const texts: (string | undefined)[] = [];
      for (const key of keys) {
        texts.push(await base.get(key));
        if (texts.length === 2) await writer.append(1, { n: 1 });
        if (texts.length === 2) await writer.append(2, { n: 2 });
      }
      return texts;
    },
  };
  expect(await new Stream(slow, ["s", "1"], schema).read(1, 10)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});
