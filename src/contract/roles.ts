/** Roles at the admin address: `support` reads, `operator` does all. `role` in `src/cli/commands.json`: a command's. */
export const ROLES = ["support", "operator"] as const;
export type Role = (typeof ROLES)[number];
/** The beginning of an operator's token, which no user's token has. */
export const OPERATOR_PREFIX = "anpop_";
export const isOperatorToken = (token: string): boolean => token.startsWith(OPERATOR_PREFIX);
