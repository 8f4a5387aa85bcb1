import { z } from "zod";
import { parseDocument, printKey } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import { digestOf } from "../items/digest.ts";
import type { OnDamage, Snapshot } from "./snapshot-store.ts";
import type { SnapshotRecord } from "./snapshot-record.ts";
import { type Parts, storedArticle, storedItem, storedNotice, storedTopic } from "../items/stored-items.ts";

/** Part name → what names the document: `ATTEMPT-NAME.DIGEST`. */
export type PartRefs = SnapshotRecord["parts"];

const PART_NAMES = ["items", "topics", "notices", "help"] as const satisfies readonly (keyof Parts)[];
const DIGEST_LENGTH = 40;

/**
 * The large parts of snapshots, each written once under a name that no other attempt uses: so what an attempt leaves
 * behind is nobody else's, and can be removed once that attempt is over. A part that stays as it was is not written
 * again; the next snapshot names the same document.
 */
export interface PartStore {
  /** @throws CorruptionError when the part is missing or not what was written */
  read<N extends keyof Parts>(refs: PartRefs, name: N): Promise<Parts[N]>;
  /**
   * Writes what `base` does not have in the same words, or has no more: what is damaged of it is told and written anew.
   *
   * @param attempt names the attempt among all there ever are, unless a server that failed over lost one of that name
   * @returns undefined when something else stands under the attempt's name: nothing of this is to be published
   */
  write(attempt: string, parts: Parts, base: Snapshot | undefined, onDamage: OnDamage): Promise<PartRefs | undefined>;
  /** Removes an attempt's parts but those that are still named. */
  removeOf(attempt: string, named: readonly PartRefs[]): Promise<void>;
  /** Removes a snapshot's parts but those that are still named. */
  remove(refs: PartRefs, named: readonly PartRefs[]): Promise<void>;
}

const SCHEMAS = {
  items: z.array(storedItem),
  topics: z.array(storedTopic),
  notices: z.array(storedNotice),
  help: z.array(storedArticle),
} satisfies { [N in keyof Parts]: z.ZodType<Parts[N]> };

export function createPartStore(storage: Storage): PartStore {
  async function removeDocuments(documents: readonly string[], named: readonly PartRefs[]): Promise<void> {
    const needed = new Set(named.flatMap((refs) => Object.values(refs)).map(documentOf));
    for (const document of documents) {
      const key = keyOf(document);
      if (!needed.has(document) && (await storage.has(key))) await storage.remove(key);
    }
  }

  /** The text of a part, which is what was written. */
  async function textOf(ref: string, name: keyof Parts): Promise<string> {
    const key = keyOf(documentOf(ref));
    const text = await storage.get(key);
    if (text === undefined) throw new CorruptionError(printKey(key), "the part is missing");
    if (!ref.endsWith(`.${digest(name, text)}`)) {
      throw new CorruptionError(printKey(key), "its digest is not the one that the snapshot names");
    }
    return text;
  }

  async function isReadable({ version, record }: Snapshot, name: keyof Parts, onDamage: OnDamage): Promise<boolean> {
    try {
      await textOf(record.parts[name], name);
      return true;
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      onDamage(version, error);
      return false;
    }
  }

  /** False when something else is there. What is found may be of a writer that died before it was safe. */
  async function createOrFind(key: Key, text: string): Promise<boolean> {
    if (await storage.create(key, text)) return true;
    if ((await storage.get(key)) !== text) return false;
    await storage.confirm(key, text);
    return true;
  }

  return {
    async read<N extends keyof Parts>(refs: PartRefs, name: N): Promise<Parts[N]> {
      const text = await textOf(refs[name], name);
      const schema = SCHEMAS[name] as unknown as z.ZodType<Parts[N]>;
      return parseDocument<Parts[N]>(keyOf(documentOf(refs[name])), text, schema)!;
    },
    async write(attempt, parts, base, onDamage) {
      const write = async (name: keyof Parts): Promise<string | undefined> => {
        const text = JSON.stringify(parts[name]);
        const suffix = `.${digest(name, text)}`;
        const isUnchanged =
          base !== undefined && (base.parts[name] === parts[name] || base.record.parts[name].endsWith(suffix));
        if (isUnchanged && (await isReadable(base, name, onDamage))) return base.record.parts[name];
        const document = `${attempt}-${name}`;
        return (await createOrFind(keyOf(document), text)) ? `${document}${suffix}` : undefined;
      };
      const [items, topics, notices, help] = await Promise.all(PART_NAMES.map(write));
      if (items === undefined || topics === undefined || notices === undefined || help === undefined) return undefined;
      return { items, topics, notices, help };
    },
    removeOf: (attempt, named) =>
      removeDocuments(
        PART_NAMES.map((name) => `${attempt}-${name}`),
        named,
      ),
    remove: (refs, named) => removeDocuments(Object.values(refs).map(documentOf), named),
  };
}

function documentOf(ref: string): string {
  return ref.slice(0, -(DIGEST_LENGTH + 1));
}

function keyOf(document: string): Key {
  return ["news", `part-${document}`];
}

function digest(name: string, text: string): string {
  return digestOf([name, text], DIGEST_LENGTH);
}
