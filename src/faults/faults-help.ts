import { FAULT_LIST } from "./fault-catalogue.ts";

/** The text of `anp help faults`. */
export function faultsHelp(): string {
  const width = Math.max(...FAULT_LIST.map(({ text }) => text.length));
  const lines = FAULT_LIST.map(({ text, about }) => `  ${text.padEnd(width)}  ${about}`);
  return `Parts of a daemon can be made to fail, so that QA sees what users would:

  $ anp serve --demo --fault model=timeout --fault hot-topics=error

${lines.join("\n")}

  NAME=KIND,times=N    only the first N times
  answers=slow,ms=N    hold answers back for N milliseconds

At most one fault of each name. Faults are injected once the daemon listens, so that it starts normally. If no model is
configured, model=... adds one that times out after a second.

In production they are refused. A daemon is in production unless it runs on a fixture (--demo, --fixtures) or its
configuration says \`mode: staging\` (ANP_MODE=staging); with \`mode: production\` they are refused on a fixture too.

A smoke file lists them at the top: \`faults: [model=timeout]\`.
`;
}
