/** The imports that every command module needs from this folder. */
export type { Context } from "./command-context.ts";
export { CommandFailure, EXIT, toUsageError, UsageError, type ExitCode } from "./command-failure.ts";
export { defineCommand, defineGroup, type Definition, type Program } from "./define-command.ts";
