import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { COMMANDS, type CommandName } from "../framework/define-command.ts";

/** The description of a command: its section of `commands.md`, else its summary. */
export function descriptionOf(command: Command): string {
  const paragraphs = sectionOf(command).filter((part) => !part.startsWith(" "));
  return paragraphs.map((part) => part.replaceAll("\n", " ")).join("\n\n") || command.summary();
}

/** The example command lines of a command; for a group, the first of each verb. */
export function examplesOf(command: Command): string[] {
  const own = sectionOf(command).flatMap((part) => (part.startsWith(" ") ? part.split("\n") : []));
  if (own.length > 0) return own.map((line) => line.trim());
  return command.commands.flatMap((verb) => examplesOf(verb).slice(0, 1));
}

/** Who may run a command at the admin address, and the names of the global options, which `anp --help` explains. */
export function notesOf(command: Command, program: Command): string[] {
  if (command === program) return [];
  const { role } = COMMANDS[pathOf(command).slice("anp ".length) as CommandName];
  const roles = role === "support" ? "support or operator" : role;
  const names = program.options.flatMap(({ long }) => (long === "--version" ? [] : long!));
  const globals = `Global options: ${names.join(", ")}; \`anp --help\` explains them.`;
  return role === undefined ? [globals] : [`At the admin address: role ${roles}.`, globals];
}

/** A command's full name, as `anp ledger list`. */
export const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

function sectionOf(command: Command): string[] {
  const sections = readFileSync(new URL("commands.md", import.meta.url), "utf8").split(/^## /m);
  const [, ...parts] = sections.find((section) => section.startsWith(`${pathOf(command)}\n`))?.split("\n\n") ?? [];
  return parts.map((part) => part.trimEnd()).filter((part) => part !== "");
}
