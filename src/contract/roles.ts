/** What operators may do through the admin address: `support` reads, `operator` does everything. Which command needs which
 * is `role` in `src/cli/commands.json`. */
export const ROLES = ["support", "operator"] as const;

export type Role = (typeof ROLES)[number];

/** The beginning of an operator's token, which no user's token has. */
export const OPERATOR_PREFIX = "anpop_";

export const isOperatorToken = (token: string): boolean => token.startsWith(OPERATOR_PREFIX);
