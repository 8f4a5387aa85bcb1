import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { FixtureUser } from "../admin/load-fixture.ts";
import type { Config } from "../config/config-schema.ts";
import type { Faults } from "../faults/inject-faults.ts";
import { createApp, createMetricsApp } from "../http/app.ts";
import { createConcurrencyLimits, type ConcurrencyLimits } from "../http/concurrency-limits.ts";
import { openRateLimits, type OpenRates } from "../http/rate-limits.ts";
import { createMetrics, type Metrics } from "../http/metrics/metrics.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import { awaitInterrupt, type Interrupt, type Stoppable } from "../runtime/interrupt.ts";
import type { Logger } from "../runtime/logger.ts";
import { version } from "../runtime/version.ts";
import type { ServiceObserver, Service } from "../service/service.ts";
import { listen, type Listener } from "./listen.ts";
import { createPinoLogger, type BufferedLogger } from "./pino-logger.ts";
import { checkListingSizes } from "../news/sources/sources.ts";
import { RefreshTimer } from "./refresh-timer.ts";
import { startBanner } from "./start-banner.ts";
import { checkStorageRisks, watchStorageRisks } from "./storage-risks.ts";
import { StorageWatch } from "./storage-watch.ts";
import { tlsFilesOf } from "./tls-files.ts";

/** The service that a daemon runs. The caller opens and closes it. */
export interface DaemonSession {
  readonly service: Service;
  /** The folder that relative paths of the configuration are resolved against. */
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
  /** Undefined when no fault is injected. */
  readonly faults: Faults | undefined;
  /** Shows a text to the person who starts the daemon. */
  readonly say: (text: string) => void;
}

interface Started {
  readonly listeners: readonly Listener[];
  readonly inFlight: ConcurrencyLimits;
  readonly rates: OpenRates;
  readonly refreshes: RefreshTimer;
}

/**
 * One daemon: `run` opens, starts, serves until a stop signal, and drains. The service is created with the daemon's
 * logger and observer, so call `openLog` and `observe` first.
 *
 * @example
 * const stoppable = { signals: process, exit: process.exit };
 * const daemon = new Daemon({ process: stoppable, clock: systemClock, requireDurable: false, faults: undefined, say });
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
  /** Undefined when the configuration turns them off. */
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
    this.#logger = createPinoLogger(log.level, this.#options.clock);
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

  /**
   * Returns once everything that ran has finished or was cut off.
   *
   * @throws ConfigError, DurabilityError, PortError, TlsError
   * @throws StorageError when the storage cannot be read and written
   */
  async run(session: DaemonSession): Promise<void> {
    const logger = this.#openedLog();
    await checkListingSizes(session.service.config.news, session.baseDir);
    const closeWatches = await this.#open(session.service, logger);
    const started = await this.#start(session, logger);
    const background = await this.#serve(session, started, logger);
    await this.#stopRequested;
    await this.#drain(started, background, session.service.config.server, logger);
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

  #openedLog(): BufferedLogger {
    if (this.#logger === undefined) throw new Error("openLog comes before run");
    return this.#logger;
  }

  /** Checks the storage before anything is served from it, and watches it from then on. */
  async #open(service: Service, logger: Logger): Promise<() => Promise<void>> {
    const { storage } = service;
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

  /** Listens, before anything is filled in or refreshed. */
  async #start(session: DaemonSession, logger: Logger): Promise<Started> {
    const { service } = session;
    const { config, clock, news } = service;
    const { refresh_interval_s: interval_s, min_interval_ms } = config.news;
    const refreshes = new RefreshTimer({ news, clock, logger, interval_s, min_interval_ms });
    const { in_flight: all, in_flight_per_user: perUser } = config.limits;
    const inFlight = createConcurrencyLimits({ all, perUser, refused: this.#metrics?.refused });
    const rates = await openRateLimits(config, { logger, refused: this.#metrics?.refused });
    const listeners = await this.#listen(session, inFlight, rates, logger);
    return { listeners, inFlight, rates, refreshes };
  }

  /** Listens for the API, and for the metrics if they have a separate port. */
  async #listen(
    { service, baseDir }: DaemonSession,
    inFlight: ConcurrencyLimits,
    { rates }: OpenRates,
    logger: Logger,
  ): Promise<Listener[]> {
    const { config, clock, ids, news, events } = service;
    const { server } = config;
    const metrics = this.#metrics;
    const draining = (): boolean => this.#stop.signal.aborted;
    metrics?.watch({
      now: () => clock.now(),
      newsStatus: () => news.status(),
      queue: () => events.queue(),
      inFlight: () => inFlight.running(),
      draining,
    });
    const ownPort = config.metrics.port;
    const app = createApp(service, logger, {
      draining,
      starting: () => this.#isStarting,
      inFlight,
      rates,
      meter: metrics,
      metrics: ownPort === undefined ? metrics : undefined,
    });
    const bounds = { peer_ms: server.body_ms, most: server.max_connections, closed: metrics?.connectionClosed };
    const tls = server.tls && tlsFilesOf(server.tls, baseDir);
    const listeners = [await listen(app, server.host, server.port, tls, bounds)];
    if (metrics !== undefined && ownPort !== undefined) {
      listeners.push(await listen(createMetricsApp({ ids, logger, metrics }), config.metrics.host, ownPort));
    }
    return listeners;
  }

  /** Loads the fixture and its news, local files, and injects the faults; only then it is ready. A stop signal ends it early. */
  async #fill(session: DaemonSession, started: Started, logger: Logger): Promise<readonly FixtureUser[] | undefined> {
    const { faults } = this.#options;
    const { service, fill } = session;
    const filled = async (): Promise<readonly FixtureUser[] | undefined> => {
      const users = await fill?.();
      if (users !== undefined) await started.refreshes.first();
      await faults?.arm(service);
      if (faults !== undefined) logger.warn({ faults: faults.texts }, "fault injection is on");
      this.#isStarting = false;
      return users;
    };
    try {
      return await Promise.race([filled(), this.#stopRequested]);
    } catch (error) {
      await Promise.all(started.listeners.map((listener) => listener.stop(0)));
      await started.rates.close();
      throw error;
    }
  }

  /** Reports that the daemon listens, and starts the background work, which is returned and ends at the stop signal. */
  async #serve(session: DaemonSession, started: Started, logger: Logger): Promise<readonly Promise<void>[]> {
    const { service } = session;
    const { listeners, refreshes } = started;
    const users = await this.#fill(session, started, logger);
    if (this.#stop.signal.aborted) return [];
    const url = listeners[0]!.url;
    const storage = service.storage.url;
    logger.info({ url, storage, metrics: listeners[1]?.url }, "listening");
    this.#options.say(startBanner({ url, storage, faults: this.#options.faults?.texts, users }));
    refreshes.start();
    const warmUp = service.warm().catch((error: unknown) => logger.warn({ err: error }, "could not warm up"));
    return [warmUp, tidy(service, logger, this.#stop.signal)];
  }

  /** Waits `drain_delay_ms` for load balancers to notice, stops accepting, and cuts off what runs after `drain_ms`. */
  async #drain(
    { listeners, inFlight, rates, refreshes }: Started,
    background: readonly Promise<void>[],
    { drain_ms, drain_delay_ms }: Config["server"],
    logger: Logger,
  ): Promise<void> {
    logger.info({ signal: (this.#stop.signal.reason as Error).message, drain_ms, drain_delay_ms }, "draining");
    refreshes.stop();
    await wait(drain_delay_ms);
    // Counted before the listeners cut them off at the same moment.
    const cut = setTimeout(() => {
      const requests = inFlight.running();
      if (requests > 0) logger.warn({ requests, drain_ms }, "requests were cut: they ran longer than drain_ms");
    }, drain_ms);
    await Promise.all([...listeners.map((listener) => listener.stop(drain_ms)), ...background]);
    clearTimeout(cut);
    await rates.close();
  }
}

async function tidy({ storage }: Service, logger: Logger, signal: AbortSignal): Promise<void> {
  try {
    // The age of a file follows the machine's clock, even when the service's clock is fixed.
    const removed = await storage.tidy(systemClock.now(), signal);
    if (removed > 0) logger.info({ removed }, "removed leftovers of killed writers");
  } catch (error) {
    logger.warn({ err: error }, "leftovers of killed writers could not be removed");
  }
}
