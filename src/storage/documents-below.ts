import type { Key, Storage } from "./storage.ts";

/** The part of a storage that documents need. */
export type Documents = Pick<Storage, "verify" | "get" | "getMany" | "create" | "put" | "children">;

/** The documents below a segment: their keys begin with it. */
export function documentsBelow(storage: Storage, segment: string): Documents {
  const at = (key: Key): Key => [segment, ...key];
  return {
    verify: (key) => storage.verify(at(key)),
    get: (key) => storage.get(at(key)),
    getMany: (keys) => storage.getMany(keys.map(at)),
    create: (key, value) => storage.create(at(key), value),
    put: (key, value) => storage.put(at(key), value),
    children: (prefix) => storage.children(at(prefix)),
  };
}
