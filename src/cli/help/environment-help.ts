import { configSchema } from "../../config/config-schema.ts";
import { configKeys } from "../../config/config-keys.ts";
import { VARIABLES } from "../framework/environment.ts";
import { twoColumns } from "./help-columns.ts";

/** The variables of the command line, and those of the configuration's keys. */
export function environment(): string {
  const keys = configKeys(configSchema).flatMap(({ variable, name, description, secret }): [string, string][] => {
    if (variable === undefined || VARIABLES[variable] !== undefined) return [];
    const meaning = `${name}: ${description}`;
    return [
      [variable, meaning],
      ...(secret ? [[`${variable}_FILE`, `a file that contains ${name}`] as [string, string]] : []),
    ];
  });
  return `${twoColumns(Object.entries(VARIABLES))}
Any key of the configuration that has a single value (anp help configuration):

${twoColumns(keys)}
Precedence: flags, environment, file, defaults. An empty variable counts as not set.
`;
}
