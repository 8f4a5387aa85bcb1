import { dirname, resolve } from "node:path";
import { readFault } from "../../faults/fault-catalogue.ts";
import { Faults } from "../../faults/inject-faults.ts";
import type { JobRunners } from "../../service/service.ts";
import { createApp } from "../../http/app.ts";
import { listen } from "../../daemon/listen.ts";
import { createRateLimits } from "../../http/limits/rate-limits.ts";
import { fixedClock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom } from "../../runtime/random.ts";
import { configKeys } from "../../config/config-schema.ts";
import { ConfigError } from "../../config/config-errors.ts";
import { fixtureUsers, loadFixture, openFixture, type Fixture } from "../../admin/load-fixture.ts";
import { getAt, loadConfig } from "../../config/load-config.ts";
import { openStorage } from "../../storage/open-storage.ts";
import { configValues, untrustedIn } from "../file/config-values.ts";
import type { SmokeFile } from "../file/read-smoke-file.ts";
import { resolveAll, type Env, type RunValues } from "../file/resolve-references.ts";
import { quote } from "../report/curl.ts";
import { DEMO } from "../../runtime/package-file.ts";

const OWN_QUOTAS = "each user of a fixture has a quota of their own. Write users: { alice: { free_daily_quota: 0 } }.";
const DRAIN_MS = 1000; // No request is running when the runner stops its daemon.
const PEER_MS = 300_000; // Its peers are in this process, where other files may keep the thread busy.

/** What a file's daemon is started with; `now` is in milliseconds since the epoch. */
export type DaemonPlan = Exclude<Awaited<ReturnType<typeof planDaemon>>, string>;

type DaemonFile = Pick<SmokeFile, "path" | "errorAt"> & { readonly content: Omit<SmokeFile["content"], "steps"> };

/** Reads what a file's daemon needs, so that errors are reported before anything runs, as `FILE:LINE:COLUMN: message`.
 * @param env the environment that `${env.NAME}` refers to in its configuration
 * @param isTrusted whether its configuration may read variables and name any host: a stranger's file could leak them */
export async function planDaemon(file: DaemonFile, env: Env = {}, cwd = "", isTrusted = false) {
  const { fixtures = "demo", now, seed = "smoke", faults = [], config = {}, users = {} } = file.content;
  const folder = fixtures === "demo" ? DEMO : resolve(cwd, dirname(file.path), fixtures);
  let fixture: Fixture;
  try {
    fixture = await openFixture(folder);
    const known = (await fixtureUsers(fixture)).map(({ user_id }) => user_id);
    const unknown = Object.keys(users).find((user) => !known.includes(user));
    const message = `${unknown} is not a user of the fixture: those are ${known.join(", ")}.`;
    if (unknown !== undefined) return file.errorAt(["users", unknown], message);
  } catch (error) {
    return file.errorAt(["fixtures"], `fixtures: ${folder} is not a fixture: ${(error as Error).message}`);
  }
  const [variable] = untrustedIn(config, false);
  if (variable !== undefined && !isTrusted) return file.errorAt(...variable);
  try {
    // The configuration in the environment is for other daemons and must not change the result of a file.
    const scope = { env, answer: () => undefined };
    const resolved = configValues(config).map(([name, value]) => [name, resolveAll(value, scope)] as const);
    const flags = { ...Object.fromEntries(resolved), storage: "memory:" };
    const loaded = await loadConfig({ file: fixture.configFile, env: {}, flags });
    if ("quota.free_daily" in flags && loaded.config.auth.jwt === undefined)
      return file.errorAt(["config", "quota", "free_daily"], `config.quota.free_daily has no effect: ${OWN_QUOTAS}`);
    const [server] = untrustedIn(loaded.config, true);
    if (server !== undefined && !isTrusted) return file.errorAt(...server);
    return { fixture, loaded, now: now === undefined ? fixture.anchor_ms : Date.parse(now), seed, faults, users };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, name = ""] = /^([\w.]+):/.exec(error.message) ?? [];
    return file.errorAt(["config", ...name.split(".")], `config ${error.message.split("\n").join("; ")}`);
  }
}

/** Starts an in-memory daemon on a free port of the loopback interface, with its fixture loaded.
 * @param runners job runners that other daemons may share */
export async function startDaemon(plan: DaemonPlan, logger: Logger, runners: Partial<JobRunners> = {}) {
  const { fixture, loaded, seed } = plan;
  const { config, baseDir } = loaded;
  const faults = new Faults(plan.faults.map(readFault));
  const clock = fixedClock(plan.now);
  const storage = await openStorage(config.storage);
  const deps = { config, baseDir, storage, clock, random: seededRandom(seed), logger, anchor_ms: fixture.anchor_ms };
  const service = await faults.open({ ...deps, runners });
  try {
    const users = await loadFixture(fixture, service, plan.users);
    await service.news.refresh("full");
    const app = createApp(service, logger, { rates: await createRateLimits(config.limits.rates, undefined) });
    // Node would add the machine's time.
    app.use(async (_event, next) => {
      const response = (await next()) as Response;
      response.headers.set("date", new Date(clock.now()).toUTCString());
      return response;
    });
    const listening = await listen(app, "127.0.0.1", 0, undefined, { peer_ms: PEER_MS, max_connections: Infinity });
    const tokens = Object.fromEntries(users.map(({ user_id, token }) => [user_id, token]));
    const run: RunValues = { id: seed, tokens, ...(users[0] !== undefined && { token: users[0].token }) };
    return {
      url: listening.url,
      clock: { ...clock, timezone: config.quota.timezone },
      run,
      begin: () => faults.arm(service), // Injects the faults from now on.
      async stop() {
        await listening.stop(DRAIN_MS);
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** The address of a daemon that {@link serveLine} starts. */
export const SERVED_URL = "http://127.0.0.1:8787";

/** The command that starts a daemon like the plan's, to try a request by hand; undefined when its configuration has a
 * value that no environment variable can hold, or the file changes its users. Secrets are shell variables. */
export function serveLine({ fixture, loaded, now, seed, faults, users }: DaemonPlan): string | undefined {
  const env: string[] = [];
  if (Object.keys(users).length > 0) return undefined;
  for (const { name, path, variable, secret } of configKeys()) {
    if (loaded.sources.get(name) !== "flag" || name === "storage") continue;
    if (variable === undefined) return undefined;
    env.push(`${variable}=${secret ? `"$${variable}"` : word(String(getAt(loaded.config, path)))}`);
  }
  const fixtureFlags = fixture.folder === DEMO ? ["--demo"] : ["--fixtures", word(fixture.folder)];
  const clock = ["--now", new Date(now).toISOString().replace(".000Z", "Z"), "--seed", word(seed)];
  const flags = [...fixtureFlags, "--storage", "memory:", ...clock, ...faults.flatMap((fault) => ["--fault", fault])];
  return [...env, "anp", "serve", ...flags].join(" ");
}

const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quote(text));
