import { z } from "zod";
import { configSchema } from "./config-schema.ts";

/** The JSON Schema of a configuration file. In place of each secret it has the key that names the secret's file. */
export const configJsonSchema = (): object =>
  z.toJSONSchema(configSchema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.properties === undefined) return;
      jsonSchema.properties = Object.fromEntries(
        Object.entries(jsonSchema.properties).map(([name, property]): [string, typeof property] => {
          if (typeof property !== "object" || property["secret"] !== true) return [name, property];
          return [`${name}_file`, { type: "string", description: `File with this secret: ${property.description}` }];
        }),
      );
    },
  });
