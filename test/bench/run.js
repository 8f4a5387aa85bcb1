// Runs the benchmarks named as arguments, or all, one after the other.
const names = process.argv.slice(2);
for (const name of names.length > 0
  ? names
  : ["start-up", "idle", "http", "ledger-page", "append", "daemons", "crowd", "hostile"]) {
  console.log(`\n${name}`);
  await import(`./${name}.js`);
}
