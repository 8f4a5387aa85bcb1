/** What the module of a command imports from this folder, whatever the command does. */
export type { Context } from "./command-context.ts";
export { CommandFailure, EXIT, orUsageError, UsageError, type ExitCode } from "./command-failure.ts";
export { defineCommand, defineGroup, type Definition, type Program } from "./define-command.ts";
