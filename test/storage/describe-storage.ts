import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readDocument, writeDocument } from "../../src/storage/documents.ts";
import { CorruptionError, type Key, type Storage } from "../../src/storage/storage.ts";
import { encodeKey } from "../../src/storage/keys.ts";
import { Stream } from "../../src/storage/stream.ts";

/** A storage under test. `connect` opens another, independent connection to the same data. */
export interface StorageFixture {
  connect(): Promise<Storage>;
  clean(): Promise<void>;
}

const schema = z.object({ n: z.int() });

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** What every storage driver must do. The same cases run on each. */
export function describeStorage(name: string, open: () => Promise<StorageFixture>): void {
  async function withStorage(test: (storage: Storage, fixture: StorageFixture) => Promise<void>): Promise<void> {
    const fixture = await open();
    const storage = await fixture.connect();
    try {
      await test(storage, fixture);
    } finally {
      await storage.close();
      await fixture.clean();
    }
  }

  describe(`storage on ${name}`, () => {
    it("returns what was put, and undefined for what is absent", () =>
      withStorage(async (storage) => {
        expect(await storage.get(["a", "b"])).toBeUndefined();
        await storage.put(["a", "b"], '{"x":"中文 🎉"}');
        expect(await storage.get(["a", "b"])).toBe('{"x":"中文 🎉"}');
        await storage.put(["a", "b"], "2");
        expect(await storage.get(["a", "b"])).toBe("2");
        expect(
          await storage.getMany([
            ["a", "b"],
            ["a", "c"],
            ["a", "b"],
          ]),
        ).toEqual(["2", undefined, "2"]);
        expect(await storage.getMany([])).toEqual([]);
      }));

    it("keeps text as text: what looks like a number, JSON or base64 comes back unchanged", () =>
      withStorage(async (storage) => {
        for (const text of ["123", "true", "null", '{"a": 1}', "base64:AAAA", "", " \n", "1e400"]) {
          await storage.put(["raw", "text"], text);
          expect(await storage.get(["raw", "text"])).toBe(text);
        }
      }));

    it("creates a value once and leaves it alone afterwards", () =>
      withStorage(async (storage) => {
        expect(await storage.create(["c", "1"], "first")).toBe(true);
        expect(await storage.create(["c", "1"], "second")).toBe(false);
        expect(await storage.get(["c", "1"])).toBe("first");
        await storage.remove(["c", "1"]);
        await storage.remove(["c", "1"]);
        expect(await storage.create(["c", "1"], "third")).toBe(true);
      }));

    it("creates a value after another one only while that one exists, and distinguishes a gap from a conflict", () =>
      withStorage(async (storage) => {
        const after = (...key: string[]): { key: Key } => ({ key: ["c", "after", ...key] });
        expect(await storage.createAfter(["c", "after", "2"], "two", after("1"))).toBe("gap");
        expect(await storage.get(["c", "after", "2"])).toBeUndefined();
        expect(await storage.create(["c", "after", "1"], "one")).toBe(true);
        expect(await storage.createAfter(["c", "after", "2"], "two", after("1"))).toBe("created");
        expect(await storage.createAfter(["c", "after", "2"], "two", after("1"))).toBe("conflict");
        expect(await storage.createAfter(["c", "after", "2"], "other", after("1"))).toBe("conflict");
        expect(await storage.createAfter(["c", "after", "3"], "three", { ...after("2"), value: "two" })).toBe(
          "created",
        );
        await storage.remove(["c", "after", "1"]);
        expect(await storage.createAfter(["c", "after", "2"], "two", after("1"))).toBe("conflict");
      }));

    it("lists all keys below a prefix", () =>
      withStorage(async (storage) => {
        for (const key of [["k", "A", "1"], ["k", "A", "2", "x"], ["k", "b"], ["kk", "A", "1"], ["l"]]) {
          await storage.put(key, "1");
        }
        const below = async (...prefix: string[]): Promise<string[]> => [
          ...new Set((await collect(storage.keys(prefix))).map((key) => encodeKey(key))),
        ].sort(); // prettier-ignore
        expect(await below("k")).toEqual(["k:b", "k:~41:1", "k:~41:2:x"]);
        expect(await below("k", "A")).toEqual(["k:~41:1", "k:~41:2:x"]);
        expect(await below("k", "A", "2")).toEqual(["k:~41:2:x"]);
        expect(await below("nothing")).toEqual([]);
        expect(await below()).toHaveLength(5);
      }));

    it("lets exactly one of 64 racers create a key, over several connections", () =>
      withStorage(async (storage, fixture) => {
        const others = await Promise.all([fixture.connect(), fixture.connect(), fixture.connect()]);
        const all = [storage, ...others];
        for (let round = 0; round < 5; round++) {
          const key: Key = ["race", String(round)];
          const won = await Promise.all(
            Array.from({ length: 64 }, (_, racer) => all[racer % all.length]!.create(key, `racer ${racer}`)),
          );
          expect(won.filter(Boolean)).toHaveLength(1);
          expect(await storage.get(key)).toBe(`racer ${won.indexOf(true)}`);
        }
        for (const other of others) await other.close();
      }));

    it("never shows half a write", () =>
      withStorage(async (storage, fixture) => {
        const reader = await fixture.connect();
        const values = ["a".repeat(300_000), "b".repeat(200_000)];
        await storage.put(["big", "one"], values[0]!);
        const done = new AbortController();
        const seen = new Set<string>();
        const reading = (async () => {
          while (!done.signal.aborted) seen.add((await reader.get(["big", "one"]))!);
        })();
        for (let round = 0; round < 20; round++) await storage.put(["big", "one"], values[round % 2]!);
        done.abort();
        await reading;
        for (const value of seen) expect(values).toContain(value);
        await reader.close();
      }));

    const odd = [
      "a/b", "a:b", "a::b", "a\\b", "ab", "A", "a", "Ab", "?", "a?b", "$", "a$", "..", ".", "../a", "~61", "x61", "~",
      "meta.json", "a.tmp", "con", "%2f", "{a}", "*", " ", "中文", "中", "🎉", "é", "e\u0301", "\n", "x".repeat(300),
      "X".repeat(300), "x".repeat(64), "x".repeat(65), `${"x".repeat(299)}y`, "字".repeat(100),
    ]; // prettier-ignore

    it("keeps odd segments apart", () =>
      withStorage(async (storage) => {
        for (const [index, segment] of odd.entries()) {
          expect(await storage.create(["odd", segment], String(index)), JSON.stringify(segment)).toBe(true);
          expect(await storage.create(["odd", segment, "child"], `${index} child`)).toBe(true);
        }
        for (const [index, segment] of odd.entries()) {
          expect(await storage.get(["odd", segment])).toBe(String(index));
          expect(await storage.get(["odd", segment, "child"])).toBe(`${index} child`);
        }
        expect(await collect(storage.children(["odd"]))).toHaveLength(odd.length);
      }));

    it("refuses a segment that is empty, has NUL or half a character", () =>
      withStorage(async (storage) => {
        for (const segment of ["", "a\0b", "\ud800"]) {
          await expect(storage.put(["bad", segment], "1")).rejects.toThrow(TypeError);
        }
        expect(await collect(storage.children(["bad"]))).toEqual([]);
      }));

    it("lists the segments right below a prefix, once each, usable in keys", () =>
      withStorage(async (storage) => {
        await storage.put(["users", "Alice", "profile"], "1");
        await storage.put(["users", "Alice", "ledger", "1"], "2");
        await storage.put(["users", "bob", "profile"], "3");
        await storage.put(["usersx", "eve", "profile"], "4");
        const found: (string | undefined)[] = [];
        for await (const user of storage.children(["users"])) {
          found.push(await storage.get(["users", user, "profile"]));
        }
        expect(found.sort()).toEqual(["1", "3"]);
        expect(await collect(storage.children(["nobody"]))).toEqual([]);
      }));

    it("names the key of a document that is damaged", () =>
      withStorage(async (storage) => {
        await writeDocument(storage, ["docs", "one"], { n: 1 });
        expect(await readDocument(storage, ["docs", "one"], schema)).toEqual({ n: 1 });
        for (const damage of ['{"n":', "", "7", '{"n":"1"}']) {
          await storage.put(["docs", "one"], damage);
          const failure = readDocument(storage, ["docs", "one"], schema);
          await expect(failure).rejects.toThrow(CorruptionError);
          await expect(failure).rejects.toThrow("docs/one");
        }
      }));
  });

  describe(`stream on ${name}`, () => {
    it("numbers items from 1 without a gap and refuses a stale expected version", () =>
      withStorage(async (storage) => {
        const stream = new Stream(storage, ["s", "1"], schema);
        expect(await stream.head()).toBe(0);
        expect(await stream.append(0, { n: 10 })).toBe("created");
        expect(await stream.append(0, { n: 11 })).toBe("conflict");
        expect(await stream.append(2, { n: 30 })).toBe("gap");
        expect(await stream.append(1, { n: 20 })).toBe("created");
        expect(await stream.head()).toBe(2);
        expect(await stream.read(1, 5)).toEqual([{ n: 10 }, { n: 20 }]);
        expect(await stream.get(2)).toEqual({ n: 20 });
        expect(await stream.get(3)).toBeUndefined();
      }));

    it("creates another value before an item, and appends nothing where that key has a different value", () =>
      withStorage(async (storage) => {
        const stream = new Stream(storage, ["s", "3"], schema);
        const first = (value: string) => ({ first: { key: ["docs", "first"], value } });
        expect(await stream.appendText(1, '{"n":20}', first("{}"))).toBe("gap");
        expect(await stream.appendText(0, '{"n":10}', first("{}"))).toBe("created");
        expect(await stream.appendText(0, '{"n":11}', first("{}"))).toBe("conflict");
        expect(await stream.appendText(1, '{"n":20}', first("[]"))).toBe("taken");
        expect(await stream.head()).toBe(1);
        expect(await stream.appendText(1, '{"n":20}', first("{}"))).toBe("created");
        expect(await stream.read(1, 5)).toEqual([{ n: 10 }, { n: 20 }]);
        expect(await storage.get(["docs", "first"])).toBe("{}");
        await storage.put(["docs", "first"], "7");
        const later = { previous: '{"n":20}', first: { key: ["docs", "later"], value: "{}" } };
        const outcomes = await Promise.all([
          stream.appendText(2, '{"n":30}', later),
          stream.appendText(2, '{"n":31}', first("{}")),
        ]);
        expect(outcomes[0]).toBe("created");
        expect(["taken", "conflict"]).toContain(outcomes[1]);
        expect(await storage.get(["docs", "later"])).toBe("{}");
      }));

    it("finds the end from any stored head: none, lagging, damaged; past the end, it shows that items are missing", () =>
      withStorage(async (storage) => {
        const stream = new Stream(storage, ["s", "2"], schema);
        for (let n = 0; n < 150; n++) {
          expect(await stream.head(Math.max(0, n - (n % 7)))).toBe(n);
          await stream.append(n, { n });
        }
        for (const head of ["1", "64", "149", "150", "0", "-3", "x", "{", ""]) {
          await storage.put(["s", "2", "head"], head);
          expect(await stream.head(), `head ${head}`).toBe(150);
        }
        await storage.put(["s", "2", "head"], "152");
        await expect(stream.head()).rejects.toThrow("s/2/0/151 is damaged");
        await storage.remove(["s", "2", "head"]);
        expect(await stream.head()).toBe(150);
      }));

    it("gives each number to one of many writers", () =>
      withStorage(async (storage, fixture) => {
        const other = await fixture.connect();
        const write = async (on: Storage, writer: number): Promise<void> => {
          const stream = new Stream(on, ["s", "3"], schema);
          for (let n = 0; n < 5;) {
            if ((await stream.append(await stream.head(), { n: writer * 100 + n })) === "created") n++;
          }
        };
        await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer % 2 ? other : storage, writer)));
        const items = await collect(new Stream(storage, ["s", "3"], schema).items());
        expect(items.map(({ version }) => version)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
        expect(new Set(items.map(({ item }) => item.n)).size).toBe(40);
        await other.close();
      }));

    it.each(["kept", "lost"])("takes no stream with a hole for a shorter one, with its head %s", (head) =>
      withStorage(async (storage, fixture) => {
        const other = await fixture.connect();
        for (const count of [1, 2, 3, 20]) {
          const name = ["holes", String(count)];
          const stream = new Stream(storage, name, schema);
          const later = new Stream(other, name, schema);
          for (let n = 0; n < count; n++) await stream.append(n, { n });
          if (head === "lost") await storage.remove([...name, "head"]);
          // Without a head, nothing but files shows that the last item is gone.
          const last = head === "lost" && !storage.url.startsWith("fs:") ? count - 1 : count;
          for (let hole = 1; hole <= last; hole++) {
            const key = stream.keyOf(hole);
            const text = (await storage.get(key))!;
            await storage.remove(key);
            const damaged = `${name.join("/")}/0/${hole} is damaged: the item is missing`;
            const end = await later.head().catch(String);
            if (end !== count) expect(end).toContain(damaged);
            for (const writer of [stream, later]) {
              await expect(writer.head(hole - 1), `${hole} of ${count}`).rejects.toThrow(damaged);
              if (head === "kept") await expect(writer.append(hole - 1, { n: -1 })).rejects.toThrow(damaged);
            }
            if (hole < count) await expect(later.read(1, count)).rejects.toThrow(damaged);
            expect(await storage.get(key)).toBeUndefined();
            await storage.create(key, text);
            expect(await later.head()).toBe(count);
          }
          expect(await stream.append(count, { n: count })).toBe("created");
          expect(await later.head()).toBe(count + 1);
        }
        await other.close();
      }),
    );

    it("names the item that is missing or damaged", () =>
      withStorage(async (storage) => {
        const stream = new Stream(storage, ["s", "4"], schema);
        for (let n = 0; n < 5; n++) await stream.append(n, { n });
        await storage.remove(["s", "4", "0", "3"]);
        await expect(stream.read(1, 5)).rejects.toThrow("s/4/0/3");
        await storage.put(["s", "4", "0", "3"], '{"n":');
        await expect(stream.get(3)).rejects.toThrow(CorruptionError);
      }));
  });
}
