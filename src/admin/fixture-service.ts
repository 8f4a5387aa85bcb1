import { createService, type Service, type ServiceDeps } from "../service/service.ts";
import { loadFixture, type Fixture, type FixtureUser } from "./load-fixture.ts";

/** A service with a fixture loaded and its news refreshed. */
export interface FixtureService {
  readonly service: Service;
  readonly users: readonly FixtureUser[];
}

/**
 * Opens a service on a fixture: loads its users, tokens, points and events, then its news, notices and help articles.
 *
 * @param create puts the service together, for instance one with faults
 * @example
 * const fixture = await openFixture("fixtures/demo");
 * const { service, users } = await openFixtureService(fixture, { config, baseDir, storage, clock, random, logger });
 */
export async function openFixtureService(
  fixture: Fixture,
  parts: Omit<ServiceDeps, "anchor_ms">,
  create: typeof createService = createService,
): Promise<FixtureService> {
  const service = await create({ ...parts, anchor_ms: fixture.anchor_ms });
  try {
    const users = await loadFixture(fixture, service);
    await service.news.refresh("full");
    return { service, users };
  } catch (error) {
    await service.close();
    throw error;
  }
}
