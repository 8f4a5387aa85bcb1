/**
 * Runs actions of the same name one after the other, and of different names side by side. It spares writers of one
 * process the conflicts with each other; what keeps them right is the storage, not this.
 */
export function createKeyedMutex(): <T>(name: string, action: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, action) => {
    const before = last.get(name);
    const mine = before === undefined ? action() : before.then(action, action);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
