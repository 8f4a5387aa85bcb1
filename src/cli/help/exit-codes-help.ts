import { ERRORS } from "../../contract/errors.ts";
import { EXIT, EXIT_MEANINGS } from "../framework/exit.ts";
import { twoColumns } from "./help-columns.ts";

/** The exit codes, with the codes of the API that lead to each. */
export function exitCodes(): string {
  const rows = Object.entries(EXIT).map(([name, exit]): [string, string] => {
    const codes = Object.entries(ERRORS).flatMap(([code, error]) => (error.exit === exit ? [code] : []));
    const from = codes.length === 0 ? "" : ` (API: ${codes.join(", ")})`;
    return [String(exit), `${EXIT_MEANINGS[name as keyof typeof EXIT]}${from}`];
  });
  return `${twoColumns(rows)}
They are the same on a storage and on a daemon (--url). Output printed before a failure remains valid.
`;
}
