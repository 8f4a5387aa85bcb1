import { MATCHERS, type Matcher } from "./run/matchers.ts";
import { RUN_VALUES } from "./run/run-values.ts";

/** The text of `anp help smoke-files`. */
// eslint-disable-next-line max-lines-per-function -- It is one text.
export function smokeFilesHelp(): string {
  return `A smoke file is YAML: a list of requests, and what is expected of each answer.

  name: An exchange raises the balance
  defaults: { token: alice-token }
  steps:
    - id: before
      request: GET /api/v1/ai/points
    - id: exchange
      name: 1.5 tokens make 15 points
      request: POST /api/v1/ai/points/exchange
      body: { token_amount: 1.5 }
      expect:
        data: { points_earned: 15, exchange_rate: 10 }
    - request: GET /api/v1/ai/points
      expect:
        data: { balance: { $sum: ["\${before.data.balance}", "\${exchange.data.points_earned}"] } }

  $ anp smoke exchange.yaml

Every answer is also checked against the contract: the status is one of the operation's, envelope and data have every
field of the contract and no other, and the headers are present.

THE FILE
  name       what it shows
  fixtures   the data of its daemon: demo (the default), or a fixture's folder, relative to the file
  now        the instant that the daemon's clock shows, as 2026-11-20T00:00:00Z; the fixture's own by default
  seed       seed of the daemon's ids, so that they repeat
  faults     a list of what fails, as model=timeout (anp help faults)
  config     configuration that overrides the fixture's, as { exchange: { rate: 100 } } (anp help configuration)
  defaults   token, headers and timeout of every step
  steps      requests, one after another
  cleanup    steps that run at the end, also after a failure

fixtures, now, seed, faults and config describe the file's own in-memory daemon, which runs in this process. With --url
the file runs against that daemon, and they have no effect; a file with faults is then skipped, unless --with-faults
says that the daemon was started with them.

A STEP
  id         name of its answer in later steps
  name       what it shows
  request    method and path, as GET /api/v1/ai/me
  token      the X-User-Token header; null for none
  query      parameters, as { page: 2 }
  headers    further headers; null removes one, also Content-Type
  body       sent as JSON; { $repeat: [x, 2001] } in it is a string of 2001 x
  raw        sent unchanged, for bodies that are not JSON
  expect     what is expected of the answer
  retry      { times: 5, every: 500ms }: repeat the request until the answer matches
  timeout    longest wait for the answer, as 2s; 30s by default

A failed step does not end the file, unless --bail is given. A step that refers to a missing answer is skipped.

EXPECT
  status     HTTP status; without it, the one of code, else 200
  code       the envelope's code: 0, 401, 422, 1005 …
  data       the envelope's data
  body       the whole body, as { errors: [{ path: limit }] }
  headers    by name
  text       the body as text, for pages such as /readyz
  time       milliseconds it took, as { $lt: 1000 }

An object may have further fields in the answer. An array must have the same length. All other values must be equal.
A matcher in place of a value expresses any other rule:

${columns(Object.entries(MATCHERS).map(([name, { about, example }]: [string, Matcher]) => [name, about, example]))}

VALUES
  \${step.data.balance}   from an earlier answer: fields of its body, status, headers.NAME, text, body
  \${env.NAME}            from the environment; \${env.NAME:-default} if it may be unset
${columns(
  Object.entries(RUN_VALUES).map(([name, about]) => [`\${run.${name}}`, about]),
  22,
)}
  $\${                    the characters \${

A reference that is the whole text keeps the type of its value. Inside of { } and [ ] it needs quotes:
{ id: "\${step.data.id}" }. A reference without a value is an error that names it.

RESULTS
  Readable text on a terminal, TAP in a pipe; or --report human|tap|junit, --json, and also --junit FILE.
  Exit code 0 when every step passed, 7 when a step failed, 2 when a file is invalid (none is run then), 6 when the
  daemon cannot be reached. A failed step is shown with a curl command; the token in it is a shell variable.

\`anp smoke --schema\` prints a JSON schema for editors.
`;
}

/** Rows in two columns: a name, its description, and below that an example. */
function columns(rows: readonly (readonly string[])[], width = 10): string {
  return rows
    .map(([name = "", about = "", example]) => {
      const lines = wrapped(about, 118 - width - 2);
      const cell = example === undefined ? lines : [...lines, example];
      return cell.map((line, index) => `  ${(index === 0 ? name : "").padEnd(width)} ${line}`).join("\n");
    })
    .join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
