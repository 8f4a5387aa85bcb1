import { MATCHERS, type Matcher } from "./run/matchers.ts";
import { RUN_VALUES } from "./run/run-values.ts";

/** What `anp help smoke-files` says. */
export function smokeFilesHelp(): string {
  return `A smoke file is YAML: requests, one after another, and what is expected of their answers.

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

Every answer is also checked against the contract without asking: the status is one of the operation's, envelope and
data have every field of the contract and no other, and the headers are there.

THE FILE
  name       what it shows
  fixtures   the world of its daemon: demo (the default), or a fixture's folder, relative to the file
  now        the instant at which the daemon's clock stands, as 2026-11-20T00:00:00Z; the fixture's own by default
  seed       makes the daemon's ids repeatable
  faults     a list of what fails, as model=timeout (anp help faults)
  config     configuration over the fixture's, as { exchange: { rate: 100 } } (anp help configuration)
  defaults   token, headers and timeout of every step
  steps      requests, one after another
  cleanup    steps that run at the end, whatever happened before

fixtures, now, seed, faults and config make the file's own daemon: one on memory, in this process. With --url the file
runs against the daemon there, which they do not change; a file with faults is then skipped, unless --with-faults says
that the daemon was started with them.

A STEP
  id         what later steps call its answer
  name       what it shows
  request    method and path, as GET /api/v1/ai/me
  token      the X-User-Token header; null for none
  query      parameters, as { page: 2 }
  headers    further headers; null leaves one out, the Content-Type too
  body       sent as JSON; { $repeat: [x, 2001] } in it is a text of 2001 x
  raw        sent as it is, for what is no JSON
  expect     what is expected of the answer
  retry      { times: 5, every: 500ms }: send it again until the answer is as expected
  timeout    longest wait for the answer, as 2s; 30s by default

A failed step does not end the file (--bail does); a step that needs an answer which there is not is skipped.

EXPECT
  status     HTTP status; without it, the one that goes with code, else 200
  code       the envelope's code: 0, 401, 422, 1005 …
  data       the envelope's data
  body       the whole body, as { errors: [{ path: limit }] }
  headers    by name
  text       the body as text, for pages such as /readyz
  time       milliseconds it took, as { $lt: 1000 }

A map expects the fields it names, whatever else there is. A list expects as many elements as it has. All else is equal
or not. Where that does not do, a matcher stands instead of the value:

${columns(Object.entries(MATCHERS).map(([name, { about, example }]: [string, Matcher]) => [name, about, example]))}

VALUES
  \${step.data.balance}   of an earlier answer: fields of its body, status, headers.NAME, text, body
  \${env.NAME}            of the environment; \${env.NAME:-default} where it may be missing
${columns(
  Object.entries(RUN_VALUES).map(([name, about]) => [`\${run.${name}}`, about]),
  22,
)}
  $\${                    the characters \${

Alone in a text, a value keeps its type; within a text it becomes part of it. Inside of { } and [ ] it needs quotes:
{ id: "\${step.data.id}" }. A value that there is not is an error that names it.

RESULTS
  On a terminal for people, in a pipe as TAP; --report human|tap|junit, --json, and --junit FILE beside any of them.
  Exit code 0 when all is as expected, 7 when a step failed, 2 when a file is not right (none is run then), 6 when the
  daemon cannot be reached. A failed step comes with a curl line; the token in it is a variable of the shell.

\`anp smoke --schema\` prints a JSON schema for editors.
`;
}

/** Rows in columns: a name, what it is, and below that an example. */
function columns(rows: readonly (readonly string[])[], width = 10): string {
  return rows
    .map(([name = "", about = "", example]) => {
      const lines = wrapped(about, 118 - width - 2);
      const told = example === undefined ? lines : [...lines, example];
      return told.map((line, index) => `  ${(index === 0 ? name : "").padEnd(width)} ${line}`).join("\n");
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
