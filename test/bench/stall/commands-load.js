// `ledger verify --all` and `storage export` beside a daemon on the same files. BENCH_ENTRIES: entries of ledgers (default
// 100,000, in ten ledgers).
import { openStorage } from "../../../dist/storage/open-storage.js";
import { runMeasured } from "../measured-run.js";
import { seedLedger } from "../seed-ledger.js";

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 100_000);
const LEDGERS = 10;

export async function open({ storage: url }) {
  const storage = await openStorage(url);
  for (let n = 0; n < LEDGERS; n++) await seedLedger(storage, `many-${n}`, ENTRIES / LEDGERS);
  await storage.close();
  return {
    async run() {
      const said = [];
      for (const args of [
        ["ledger", "verify", "--all"],
        ["storage", "export"],
      ]) {
        const { code, seconds, megabytes, stderr } = await runMeasured([...args, "--storage", url]);
        if (code !== 0) throw new Error(`anp ${args.join(" ")} ended with ${code}: ${stderr.slice(0, 1000)}`);
        said.push(`${args.join(" ")}: ${seconds.toFixed(1)} s, ${Math.round(megabytes)} MB`);
      }
      return `${ENTRIES} entries; ${said.join("; ")}`;
    },
  };
}
