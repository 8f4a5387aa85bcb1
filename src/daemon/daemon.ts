import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { FixtureUser } from "../admin/load-fixture.ts";
import type { Config } from "../config/config-schema.ts";
import type { Faults } from "../faults/inject-faults.ts";
import type { AdminCommand } from "../http/admin/admin-app.ts";
import { createApp, createMetricsApp } from "../http/app.ts";
import { createConcurrencyLimits, type ConcurrencyLimits } from "../http/concurrency-limits.ts";
import { openRateLimits, type OpenRates, type RateLimits } from "../http/rate-limits.ts";
import { createMetrics, type Metrics } from "../http/metrics/metrics.ts";
import { systemClock, toIso, type Clock } from "../runtime/clock.ts";
import { awaitInterrupt, type Interrupt, type Stoppable } from "../runtime/interrupt.ts";
import type { Logger } from "../runtime/logger.ts";
import { version } from "../runtime/package-file.ts";
import type { ServiceObserver, Service } from "../service/service.ts";
import { listen, type Listener } from "./listen.ts";
import { createPinoLogger, readable, type BufferedLogger } from "./pino-logger.ts";
import { checkListingSizes } from "../news/sources/sources.ts";
import { RefreshTimer } from "./refresh-timer.ts";
import { keepRetention } from "./retention-timer.ts";
import { startBanner, startLine } from "./start-banner.ts";
import { checkStorageRisks, watchStorageRisks } from "./storage-risks.ts";
import { StorageWatch } from "./storage-watch.ts";
import { tlsFilesOf } from "./tls-files.ts";

/** The service that a daemon runs. The caller opens and closes it. */
export interface DaemonSession {
  readonly service: Service;
  readonly baseDir: string;
  /** Loads a fixture, and returns the users whose tokens the banner shows; undefined without a fixture. */
  readonly fill: (() => Promise<readonly FixtureUser[]>) | undefined;
}

export interface DaemonOptions {
  readonly process: Stoppable;
  /** The clock of the log's timestamps. */
  readonly clock: Clock;
  /** Refuses to start on a storage that may lose acknowledged data. */
  readonly requireDurable: boolean;
  readonly faults: Faults | undefined;
  /** The commands of the admin address. */
  readonly adminCommands: (service: Service) => Promise<readonly AdminCommand[]>;
  /** Shows a text to the person who starts the daemon. */
  readonly say: (text: string) => void;
  /** Where the log goes: as JSON lines, but to a terminal as lines for that person. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

interface Started {
  /** By what each serves, the API first. */
  readonly listeners: Record<"api", Listener> & Partial<Record<"metrics" | "admin", Listener>>;
  readonly inFlight: ConcurrencyLimits;
  readonly rates: OpenRates;
  readonly refreshes: RefreshTimer;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|::1)$/;

/** One daemon: `run` opens, starts, serves until a stop signal, and drains. The service is created with the daemon's
 * logger and observer, so call `openLog` and `observe` first.
 * @example
 * const stoppable = { signals: process, exit: process.exit };
 * const options = { requireDurable: false, faults: undefined, adminCommands: async () => [], say, stderr: process.stderr };
 * const daemon = new Daemon({ process: stoppable, clock: systemClock, ...options });
 * const logger = daemon.openLog(config);
 * const service = await createService({ config, storage, logger, observer: daemon.observe(config), ... });
 * await daemon.run({ service, baseDir: ".", fill: undefined });
 * await daemon.end();
 */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #stop: Interrupt;
  readonly #stopRequested: Promise<undefined>;
  #logger: BufferedLogger | undefined;
  #metrics: Metrics | undefined;
  #storageWatch: StorageWatch | undefined;
  #isStarting = true;

  /** Takes over SIGINT and SIGTERM until `end`. */
  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#stop = awaitInterrupt(options.process, () => this.#logger?.end());
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
    this.#logger = createPinoLogger(log.level, clock, stderr.isTTY === true ? (line) => say(readable(line)) : write);
    return this.#logger;
  }

  /** Feeds the metrics and the storage watch. */
  observe(config: Config): ServiceObserver {
    const metrics = config.metrics.enabled ? createMetrics(version()) : undefined;
    this.#metrics = metrics;
    const off = (): void => undefined;
    const silent = { posted: off, conflicted: off, modelCalled: off, refreshed: off, storageCalled: off, damaged: off };
    return {
      ...(metrics ?? { ...silent, jobFailed: off, workerRestarted: off }),
      storageFailed: (verb, error) => {
        metrics?.storageFailed(verb);
        this.#storageWatch?.failed(error);
      },
    };
  }

  /** Returns once everything that ran has finished or was cut off.
   * @throws ConfigError, DurabilityError, PortError, TlsError
   * @throws StorageError when the storage cannot be read and written */
  async run(session: DaemonSession): Promise<void> {
    await checkListingSizes(session.service.config.news, session.baseDir);
    const closeWatches = await this.#open(session.service);
    const started = await this.#start(session);
    const background = await this.#serve(session, started);
    await this.#stopRequested;
    await this.#drain(started, background, session.service);
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

  /** Checks the storage before anything is served from it, and watches it from then on. */
  async #open(service: Service): Promise<() => Promise<void>> {
    const { storage, logger } = service;
    const probe = (): Promise<void> => service.probe();
    const { requireDurable: required } = this.#options;
    // The storage's clock and its last use are compared with the machine's clock, even when the service's is fixed.
    const now = (): number => systemClock.now();
    const findings = await checkStorageRisks(storage, { logger, now, required, probe });
    const { identity } = storage;
    const watch = new StorageWatch({
      logger,
      probe,
      findLost: identity && (() => identity.findLost()),
      onChange: (up) => this.#metrics?.storageIsUp(up),
      onLostParts: (lost) => this.#metrics?.storagePartsLost(lost),
    });
    this.#storageWatch = watch;
    const stopExamining = watchStorageRisks(storage, findings, { logger, now, onRisks: this.#metrics?.storageRisks });
    return async () => {
      stopExamining();
      await watch.stop();
    };
  }

  async #start(session: DaemonSession): Promise<Started> {
    const { config } = session.service;
    const refreshes = new RefreshTimer(session.service);
    const { in_flight: all, in_flight_per_user: perUser } = config.limits;
    const inFlight = createConcurrencyLimits({ all, perUser, refused: this.#metrics?.refused });
    const rates = await openRateLimits(config, this.#metrics?.refused);
    const listeners = await this.#listen(session, inFlight, rates.rates);
    return { listeners, inFlight, rates, refreshes };
  }

  async #listen(
    { service, baseDir }: DaemonSession,
    inFlight: ConcurrencyLimits,
    rates: RateLimits | undefined,
  ): Promise<Started["listeners"]> {
    const { config, clock, news, events, logger } = service;
    const { server } = config;
    const metrics = this.#metrics;
    const state = () => (this.#stop.signal.aborted ? "draining" : this.#isStarting ? "starting" : undefined);
    metrics?.watch({
      now: () => clock.now(),
      newsStatus: () => news.status(),
      queue: () => events.queue(),
      inFlight: () => inFlight.running(),
      state,
      breakers: service.breakers,
    });
    const ownPort = config.metrics.port;
    const app = createApp(service, logger, {
      state,
      inFlight,
      rates,
      meter: metrics,
      metrics: ownPort === undefined ? metrics : undefined,
    });
    const bounds = { peer_ms: server.body_ms, most: server.max_connections, closed: metrics?.connectionClosed };
    const tls = server.tls && tlsFilesOf(server.tls, baseDir);
    const listeners: Started["listeners"] = { api: await listen(app, server.host, server.port, tls, bounds) };
    try {
      if (metrics !== undefined && ownPort !== undefined) {
        listeners.metrics = await listen(createMetricsApp(service, metrics), config.metrics.host, ownPort);
      }
      const { host, port } = config.admin;
      if (port !== undefined) {
        const { createAdminApp } = await import("../http/admin/admin-app.ts");
        const commands = await this.#options.adminCommands(service);
        const admin = createAdminApp({ service, logger, commands, meter: metrics, stop: this.#stop.signal });
        listeners.admin = await listen(admin, host, port, tls, bounds);
        if (tls === undefined && !LOOPBACK.test(host))
          logger.warn({ host }, "admin.host is reachable without TLS: operators' tokens can be read on the network");
      }
      return listeners;
    } catch (error) {
      await stopAll(listeners, 0);
      throw error;
    }
  }

  /** Loads the fixture and its news, local files, and injects the faults; only then it is ready. A stop signal ends it early. */
  async #fill({ service, fill }: DaemonSession, started: Started): Promise<readonly FixtureUser[] | undefined> {
    const { faults } = this.#options;
    const filled = async (): Promise<readonly FixtureUser[] | undefined> => {
      const users = await fill?.();
      if (users !== undefined) await started.refreshes.first();
      await faults?.arm(service);
      if (faults !== undefined) service.logger.warn({ faults: faults.texts }, "fault injection is on");
      this.#isStarting = false;
      return users;
    };
    try {
      return await Promise.race([filled(), this.#stopRequested]);
    } catch (error) {
      await stopAll(started.listeners, 0);
      started.rates.close();
      throw error;
    }
  }

  /** Reports that the daemon listens, and starts the background work, which is returned and ends at the stop signal. */
  async #serve(session: DaemonSession, started: Started): Promise<readonly Promise<void>[]> {
    const { service } = session;
    const { logger } = service;
    const { listeners, refreshes } = started;
    const users = await this.#fill(session, started);
    if (this.#stop.signal.aborted) return [];
    const { url } = listeners.api;
    const storage = service.storage.url;
    const { faults, stderr, clock, say } = this.#options;
    const urls = { url, metrics: listeners.metrics?.url, admin: listeners.admin?.url };
    const about = { ...urls, storage, faults: faults?.texts, users };
    say(stderr.isTTY === true ? startBanner(about) : startLine(about, toIso(clock.now())));
    refreshes.start();
    const warmUp = service.warm().catch((error: unknown) => logger.warn({ err: error }, "could not warm up"));
    const { signal } = this.#stop;
    return [warmUp, tidy(service, signal), keepRetention(service, logger, signal)];
  }

  /** Waits `drain_delay_ms` for load balancers to notice, stops accepting, and cuts off what runs after `drain_ms`. */
  async #drain(
    { listeners, inFlight, rates, refreshes }: Started,
    background: readonly Promise<void>[],
    { config, logger }: Service,
  ): Promise<void> {
    const { drain_ms, drain_delay_ms } = config.server;
    logger.info({ signal: (this.#stop.signal.reason as Error).message, drain_ms, drain_delay_ms }, "draining");
    refreshes.stop();
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

async function stopAll(listeners: Started["listeners"], drain_ms: number): Promise<void> {
  await Promise.all(Object.values(listeners).map((listener) => listener.stop(drain_ms)));
}

async function tidy({ storage, logger }: Service, signal: AbortSignal): Promise<void> {
  try {
    // The age of a file follows the machine's clock, even when the service's clock is fixed.
    const removed = await storage.tidy(systemClock.now(), signal);
    if (removed > 0) logger.info({ removed }, "removed leftovers of killed writers");
  } catch (error) {
    logger.warn({ err: error }, "leftovers of killed writers could not be removed");
  }
}
