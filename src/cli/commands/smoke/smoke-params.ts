import { integer, oneOf, optional, required, text, toggle, type Values } from "../../params/param.ts";

function listed(typed: string): readonly string[] {
  const words = typed.split(",").map((word) => word.trim());
  if (words.every((word) => /^!?[\w.-]+$/.test(word))) return words;
  throw new RangeError("must be tags between commas, such as smoke,!slow");
}

export const RUN_OPTIONS = {
  report: optional(oneOf("human", "tap", "junit")),
  junit: optional(text(4096), "file"),
  update: toggle(),
  jobs: optional(integer(1, 16)),
  tags: optional(listed),
  grep: optional(text(256)),
  schema: toggle(),
  bail: toggle(),
  allowSkipped: toggle(),
  withFaults: toggle(),
  trustConfig: toggle(),
};

export type SmokeOptions = Values<typeof RUN_OPTIONS> & { readonly files: readonly string[] };

export const RECORD_OPTIONS = {
  out: required(text(4096), "file"),
  count: optional(integer(1, 1000)),
  exact: toggle(),
  port: optional(integer(0, 65_535)),
  force: toggle(),
};
