// Tidies a storage and prints the steps that it took on its files; killed before one of them that it is told.
import { interceptFileCalls } from "./file-calls.js";
import { openStorage } from "../../../dist/storage/open-storage.js";

const [, , url, before] = process.argv;
const steps = [];
interceptFileCalls(({ call, path }) => {
  steps.push(`${call} ${path.split("/").at(-1)}`);
  if (steps.length === Number(before)) process.kill(process.pid, "SIGKILL");
  return undefined;
});
const storage = await openStorage(url);
await storage.tidy(Date.now());
await storage.close();
process.stdout.write(JSON.stringify(steps));
