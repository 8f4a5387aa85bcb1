import { FAULT_LIST } from "./fault-catalogue.ts";

/** What `anp help faults` says. */
export function faultsHelp(): string {
  const width = Math.max(...FAULT_LIST.map(({ text }) => text.length));
  const lines = FAULT_LIST.map(({ text, about }) => `  ${text.padEnd(width)}  ${about}`);
  return `Parts of a daemon can be made to fail, so that QA sees what users would:

  $ anp serve --demo --fault model=timeout --fault hot-topics=error

${lines.join("\n")}

  NAME=KIND,times=N    only the first N times
  answers=slow,ms=N    hold answers back for N milliseconds

One fault of each name. They strike once the daemon listens, so that it starts as ever. Where no model is configured,
model=... brings one along that gives up after a second.

In production they are refused. A daemon is in production unless it shows a fixture's world (--demo, --fixtures) or
its configuration says \`mode: staging\` (ANP_MODE=staging); \`mode: production\` refuses them there too.

In a smoke file they stand at the top: \`faults: [model=timeout]\`.
`;
}
