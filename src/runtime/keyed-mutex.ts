/** A mutex per key: actions with the same key run one after the other, actions with different keys run concurrently. It
 * avoids conflicts between the writers of one process; correctness between processes is up to the storage. */
export function createKeyedMutex(): <T>(key: string, action: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, action) => {
    const before = last.get(key);
    const mine = before === undefined ? action() : before.then(action, action);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
