import { openStorage } from "../../src/storage/open-storage.ts";
import { describeStorage } from "./describe-storage.ts";

describeStorage("memory", async () => {
  const storage = await openStorage("memory:");
  // One process's memory has one connection: closing it would drop the data, so the fixture does that.
  const shared = { ...storage, close: () => Promise.resolve() };
  return { connect: () => Promise.resolve(shared), clean: () => storage.close() };
});
