import { resolve } from "node:path";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger, type Logger } from "../../src/runtime/logger.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { loadFixture, openFixture } from "../../src/admin/load-fixture.ts";
import { loadConfig, type ConfigValues } from "../../src/config/load-config.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";

/** The anchor of the demo: with the clock there, nothing in it moves. */
export const ANCHOR = Date.parse("2026-11-20T00:00:00Z");

/** A service on a fixture of the repository, with its clock. */
export interface FixtureService {
  readonly service: Service;
  readonly clock: ReturnType<typeof fixedClock>;
}

export async function openFixtureService(
  options: {
    readonly fixture?: string;
    readonly storage?: Storage;
    readonly now?: number;
    readonly flags?: ConfigValues;
    readonly seed?: string;
    readonly logger?: Logger;
    /** Whether to bring in news, notices and help articles; on by default. */
    readonly refresh?: boolean;
    /** What puts the service together. */
    readonly create?: typeof createService;
  } = {},
): Promise<FixtureService> {
  const fixture = await openFixture(resolve(import.meta.dirname, "../../fixtures", options.fixture ?? "demo"));
  const { config, baseDir } = await loadConfig({ file: fixture.configFile, env: {}, flags: options.flags ?? {} });
  const clock = fixedClock(options.now ?? ANCHOR);
  const service = await (options.create ?? createService)({
    config,
    baseDir,
    storage: options.storage ?? (await openStorage("memory:")),
    clock,
    random: seededRandom(options.seed ?? "test"),
    logger: options.logger ?? silentLogger,
    anchor_ms: fixture.anchor_ms,
  });
  await loadFixture(fixture, service);
  if (options.refresh ?? true) await service.news.refresh("full");
  return { service, clock };
}
