import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended } from "../support/program.ts";

const LOGGER = pathToFileURL(join(import.meta.dirname, "../../dist/daemon/pino-logger.js")).href;

it("writes the last line, though a write of earlier ones is under way", async () => {
  const script = `
    import { createPinoLogger } from ${JSON.stringify(LOGGER)};
    const logger = createPinoLogger("info", { now: Date.now });
    logger.info("x".repeat(5000));
    logger.info("the last");
    await logger.end();`;
  const { code, stderr } = await ended(spawn(process.execPath, ["--input-type=module", "-e", script]));
  expect([code, stderr.split("\n").length]).toEqual([0, 3]);
  expect(stderr).toContain('"msg":"the last"');
});
