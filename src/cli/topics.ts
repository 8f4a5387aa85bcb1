/** Help that belongs to no single command. */
export const TOPICS: ReadonlyMap<string, string> = new Map([
  [
    "environment",
    `ANP_CONFIG             configuration file, as --config
ANP_STORAGE            storage URL, as --storage
ANP_SERVER_PORT, ...   any key of the configuration: server.port is ANP_SERVER_PORT
ANP_DEBUG              debug messages and stack traces, as --verbose
CI                     never ask, as --no-input
NO_COLOR, FORCE_COLOR  no colour; colour in a pipe too

A flag goes before the environment, the environment before the file, the file before the defaults.
`,
  ],
  [
    "formatting",
    `stdout carries data alone; hints, questions and logs go to stderr.

table  what a terminal shows: cut to its width
tsv    what a pipe gets: a line of column names, then one line a row
csv    RFC 4180 quoting, lines that end in a line feed
jsonl  one JSON object a line
json   one document; --json is short for it

tsv, csv, jsonl and json keep ISO 8601 times and integers as they are. table and tsv take control characters out of
texts that others wrote. No results are no failure.
`,
  ],
  [
    "exit-codes",
    `0    done
1    failure; also a ledger that is not right, a damaged value, a port in use, a question answered with no
2    usage: a flag, an argument or the configuration is not right; nothing was done
3    insufficient points
4    not logged in
5    not found
6    storage, model, feeds or server unreachable
7    a smoke assertion failed
8    done in part: lines of a replay were rejected, or sources of a refresh failed
130  interrupted
`,
  ],
]);
