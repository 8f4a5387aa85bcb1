import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { FixtureUser } from "../admin/load-fixture.ts";
import type { Config } from "../config/config-schema.ts";
import type { Faults } from "../faults/inject-faults.ts";
import type { AdminCommand } from "../http/admin/admin-app.ts";
import { createApp, createMetricsApp } from "../http/app.ts";
import { createConcurrencyLimits, type ConcurrencyLimits } from "../http/limits/concurrency-limits.ts";
import { openRateLimits } from "../http/limits/rate-limits.ts";
import { createMetrics } from "../http/metrics/metrics.ts";
import { DAY_MS, systemClock, toIso, type Clock } from "../runtime/clock.ts";
import { awaitInterrupt, type Stoppable } from "../runtime/interrupt.ts";
import type { Logger } from "../runtime/logger.ts";
import { version } from "../runtime/package-file.ts";
import type { ServiceObserver, Service } from "../service/service.ts";
import { allowedConnections, FEW_CONNECTIONS } from "./connections.ts";
import { listen, type Listener } from "./listen.ts";
import { createPinoLogger, toReadable } from "./pino-logger.ts";
import { checkListingSizes } from "../news/sources/sources.ts";
import { createRefreshTimer, type RefreshTimer } from "./refresh-timer.ts";
import { startRetention } from "./retention-timer.ts";
import { startBanner, startLine } from "./start-banner.ts";
import { checkStorageRisks, watchStorageRisks } from "./storage-risks.ts";
import { StorageWatch } from "./storage-watch.ts";
import { tlsFilesOf } from "./tls-files.ts";

/** The service that a daemon runs. The caller opens and closes it. */
interface DaemonSession {
  readonly service: Service;
  readonly baseDir: string;
  readonly fill: (() => Promise<readonly FixtureUser[]>) | undefined; // Loads a fixture, whose users the banner shows.
}

export interface DaemonOptions {
  readonly process: Stoppable;
  readonly clock: Clock; // The clock of the log's timestamps.
  readonly requireDurable: boolean; // Refuses to start on a storage that may lose acknowledged data.
  readonly faults: Faults | undefined;
  readonly adminCommands: (service: Service) => Promise<readonly AdminCommand[]>;
  readonly say: (text: string) => void; // Shows a text to the person who starts the daemon.
  /** The stream for the log: JSON lines, or readable lines for a terminal. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

type Listeners = Partial<Record<"api" | "metrics" | "admin", Listener>>;
type Started = { listeners: Listeners; inFlight: ConcurrencyLimits; rates: Awaited<ReturnType<typeof openRateLimits>> };

/** One daemon: `run` opens, starts, serves until a stop signal, and drains. The service is created with the daemon's
 * logger and observer, so call `openLog` and `observe` first. */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #stop: ReturnType<typeof awaitInterrupt>;
  readonly #stopRequested: Promise<undefined>;
  readonly #metrics = createMetrics(version());
  #logger: ReturnType<typeof createPinoLogger> | undefined;
  #storageWatch: StorageWatch | undefined;
  #isStarting = true;

  /** Takes over SIGINT, SIGTERM and SIGHUP until `end`. */
  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#stop = awaitInterrupt(options.process, () => this.#logger?.end(), true);
    this.#stopRequested = once(this.#stop.signal, "abort").then(() => undefined);
  }

  /** Whether the storage was found usable. Until then nothing is served from it. */
  get hasOpened(): boolean {
    return this.#storageWatch !== undefined;
  }

  openLog({ log }: Config): Logger {
    const { clock, stderr, say } = this.#options;
    // A stream without a file descriptor is not that of the process.
    const write = "fd" in stderr ? undefined : (line: string) => stderr.write(line);
    this.#logger = createPinoLogger(log.level, clock, stderr.isTTY === true ? (line) => say(toReadable(line)) : write);
    return this.#logger;
  }

  /** Feeds the metrics and the storage watch. */
  observe(): ServiceObserver {
    return {
      ...this.#metrics,
      storageFailed: (verb, error) => {
        this.#metrics.storageFailed(verb);
        this.#storageWatch?.failed(error);
      },
    };
  }

  /** Returns once everything that ran has finished or was cut off.
   * @throws ConfigError, DurabilityError, PortError, TlsError
   * @throws StorageError when the storage cannot be read and written */
  async run(session: DaemonSession): Promise<void> {
    const { service, baseDir } = session;
    const { config } = service;
    await checkListingSizes(config.news, baseDir);
    const closeWatches = await this.#open(service);
    const { refused } = this.#metrics;
    const inFlight = createConcurrencyLimits({ ...config.limits, refused });
    const rates = await openRateLimits(config, { logger: service.logger, refused });
    const started: Started = { listeners: {}, inFlight, rates };
    const refreshes = createRefreshTimer(service);
    try {
      await this.#listen(session, started);
      const users = await Promise.race([this.#fill(session, refreshes), this.#stopRequested]);
      if (!this.#stop.signal.aborted) this.#report(service, started, users);
    } catch (error) {
      await stopAll(started.listeners, 0);
      started.rates.close();
      throw error;
    }
    const background = this.#stop.signal.aborted ? [] : this.#work(service, refreshes);
    await this.#stopRequested;
    await this.#drain(started, background, service);
    await closeWatches();
  }

  logStopped(): void {
    this.#logger?.info({}, "stopped");
  }

  /** Flushes the log and removes the signal handlers. Called last, once the service is closed. */
  async end(): Promise<void> {
    this.#stop.forget();
    await this.#logger?.end();
  }

  async #open({ storage, logger, probe }: Service): Promise<() => Promise<void>> {
    const { storageIsUp: onChange, storagePartsLost: onLostParts, storageRisks: onRisks } = this.#metrics;
    // The storage's clock and its last use are compared with the machine's clock, even when the service's is fixed.
    const now = (): number => systemClock.now();
    const findings = await checkStorageRisks(storage, { logger, now, required: this.#options.requireDurable, probe });
    const { identity } = storage;
    const findLost = identity && (() => identity.findLost());
    const watch = new StorageWatch({ logger, probe, findLost, onChange, onLostParts });
    this.#storageWatch = watch;
    const stopExamining = watchStorageRisks(storage, findings, { logger, now, onRisks });
    return async () => {
      stopExamining();
      await watch.stop();
    };
  }

  async #listen({ service, baseDir }: DaemonSession, { listeners, inFlight, rates }: Started): Promise<void> {
    const { config, logger } = service;
    const { server, admin, metrics: about } = config;
    const metrics = about.enabled ? this.#metrics : undefined;
    const meter = this.#metrics;
    const state = () => (this.#stop.signal.aborted ? "draining" : this.#isStarting ? "starting" : undefined);
    meter.watch({ service, inFlight: inFlight.running, state });
    const onApi = about.port === undefined ? metrics : undefined;
    const app = createApp(service, logger, { state, inFlight, rates: rates.rates, meter, metrics: onApi });
    const [max_connections, connections] = [server.max_connections, allowedConnections(server.max_connections)];
    if (connections < Math.min(max_connections, FEW_CONNECTIONS))
      logger.warn({ connections, max_connections }, "the limit of open files (ulimit -n) allows fewer connections");
    const bounds = { peer_ms: server.body_ms, max_connections, closed: meter.connectionClosed };
    const tls = server.tls && tlsFilesOf(server.tls, baseDir);
    listeners.api = await listen(app, server.host, server.port, tls, bounds);
    if (metrics !== undefined && about.port !== undefined)
      listeners.metrics = await listen(createMetricsApp(service, metrics), about.host, about.port);
    if (admin.port !== undefined) {
      const { createAdminApp } = await import("../http/admin/admin-app.ts");
      const commands = await this.#options.adminCommands(service);
      const adminApp = createAdminApp({ service, logger, commands, meter, stop: this.#stop.signal });
      listeners.admin = await listen(adminApp, admin.host, admin.port, tls, bounds);
      if (tls === undefined && !/^(localhost|127\.[\d.]+|::1)$/.test(admin.host)) {
        const { host } = admin;
        logger.warn({ host }, "admin.host is reachable without TLS: operators' tokens can be read on the network");
      }
    }
  }

  /** Loads the fixture and its news, local files, and injects the faults; after that the daemon is ready. */
  async #fill({ service, fill }: DaemonSession, refreshes: RefreshTimer) {
    const { faults } = this.#options;
    const users = await fill?.();
    if (users !== undefined) await refreshes.first();
    await faults?.arm(service);
    if (faults !== undefined) service.logger.warn({ faults: faults.texts }, "fault injection is on");
    this.#isStarting = false;
    return users;
  }

  #report({ storage }: Service, { listeners }: Started, users: readonly FixtureUser[] | undefined): void {
    const { faults, stderr, clock, say } = this.#options;
    const { api, metrics, admin } = listeners;
    const urls = { url: api!.url, metrics: metrics?.url, admin: admin?.url };
    const about = { ...urls, storage: storage.url, faults: faults?.texts, users };
    say(stderr.isTTY === true ? startBanner(about) : startLine(about, toIso(clock.now())));
  }

  #work(service: Service, refreshes: RefreshTimer): readonly Promise<void>[] {
    const { signal } = this.#stop;
    void refreshes.run(signal);
    return [service.warm(), tidy(service, signal), startRetention(service, signal), service.keepVectors(signal)];
  }

  /** Waits `drain_delay_ms` for load balancers to notice, stops accepting, and cuts off what runs after `drain_ms`. */
  async #drain(started: Started, background: readonly Promise<void>[], { config, logger }: Service): Promise<void> {
    const { listeners, inFlight, rates } = started;
    const { drain_ms, drain_delay_ms } = config.server;
    logger.info({ signal: (this.#stop.signal.reason as Error).message, drain_ms, drain_delay_ms }, "draining");
    for (const listener of Object.values(listeners)) listener.drain();
    await wait(drain_delay_ms);
    // Counted before the listeners cut them off at the same moment.
    const cut = setTimeout(() => {
      const requests = inFlight.running();
      if (requests > 0) logger.warn({ requests, drain_ms }, "requests were cut: they ran longer than drain_ms");
    }, drain_ms);
    await Promise.all([stopAll(listeners, drain_ms), ...background]);
    clearTimeout(cut);
    rates.close();
  }
}

const stopAll = (listeners: Listeners, drain_ms: number) =>
  Promise.all(Object.values(listeners).map((listener) => listener.stop(drain_ms)));

async function tidy({ storage, logger }: Service, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      // The age of a file follows the machine's clock, even when the service's clock is fixed.
      const removed = await storage.tidy(systemClock.now(), signal);
      if (removed > 0) logger.info({ removed }, "removed leftovers of killed writers");
    } catch (error) {
      logger.warn({ err: error }, "the storage could not be tidied");
    }
    await wait(DAY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
