import { resolve } from "node:path";
import type { FixtureUser } from "../admin/load-fixture.ts";
import type { Config } from "../config/config-schema.ts";
import type { Faults } from "../faults/inject-faults.ts";
import { createApp, createMetricsApp } from "../http/app.ts";
import { createConcurrencyLimits, type ConcurrencyLimits } from "../http/concurrency-limits.ts";
import { createMetrics, type Metrics } from "../http/metrics/metrics.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { version } from "../runtime/version.ts";
import type { ServiceObserver } from "../service/observer.ts";
import type { Service } from "../service/service.ts";
import { drain, type Drained } from "./drain.ts";
import { listen, type Listener } from "./listen.ts";
import { createPinoLogger, type BufferedLogger } from "./pino-logger.ts";
import { openRateLimits, type OpenRates } from "./open-rate-limits.ts";
import { RefreshTimer } from "./refresh-timer.ts";
import { startBanner } from "./start-banner.ts";
import { watchStopSignals, type StopSignals } from "./stop-signals.ts";
import { StorageChanges } from "./storage-changes.ts";
import { checkStorageRisks } from "./storage-risks.ts";
import { StorageWatch } from "./storage-watch.ts";
import type { TlsFiles } from "./tls-files.ts";

/** The service that a daemon runs. The caller opens and closes it. */
export interface DaemonSession {
  readonly service: Service;
  /** The folder that relative paths of the configuration are resolved against. */
  readonly baseDir: string;
  /** The users whose tokens the banner shows; undefined without a fixture. */
  readonly fixtureUsers: readonly FixtureUser[] | undefined;
}

export interface DaemonOptions {
  /** The clock of the log's timestamps. */
  readonly clock: Clock;
  /** Refuses to start on a storage that may lose acknowledged data. */
  readonly requireDurable: boolean;
  /** Undefined when no fault is injected. */
  readonly faults: Faults | undefined;
  /** Shows a text to the person who starts the daemon. */
  readonly say: (text: string) => void;
}

/** The parts that listen, and those that stop with them. */
interface Started extends Drained {
  readonly refreshes: RefreshTimer;
}

/**
 * One daemon: `run` opens, starts, serves until a stop signal, and drains. The service is created with the daemon's
 * logger and observer, so call `openLog` and `observe` first.
 *
 * @example
 * const daemon = new Daemon({ clock: systemClock, requireDurable: false, faults: undefined, say: console.error });
 * const logger = daemon.openLog(config);
 * const service = await createService({ config, storage, logger, observer: daemon.observe(config), ... });
 * await daemon.run({ service, baseDir: ".", fixtureUsers: undefined });
 * await daemon.end();
 */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #stop: StopSignals;
  #logger: BufferedLogger | undefined;
  /** Undefined when the configuration turns them off. */
  #metrics: Metrics | undefined;
  #storageWatch: StorageWatch | undefined;

  /** Takes over SIGINT and SIGTERM until `end`. */
  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#stop = watchStopSignals(() => this.#logger?.end());
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
    const ignore = (): void => undefined;
    const silent = {
      posted: ignore,
      conflicted: ignore,
      modelCalled: ignore,
      refreshed: ignore,
      storageCalled: ignore,
    };
    return {
      ...(metrics ?? silent),
      storageFailed: (verb, error) => {
        metrics?.storageFailed(verb, error);
        this.#storageWatch?.failed(error);
      },
    };
  }

  /**
   * Returns once everything that ran has finished or was cut off.
   *
   * @throws DurabilityError, PortError, TlsError
   * @throws StorageError when the storage cannot be read and written
   */
  async run(session: DaemonSession): Promise<void> {
    const logger = this.#openedLog();
    const closeWatches = await this.#open(session.service, logger);
    const started = await this.#start(session, logger);
    if (started !== undefined) {
      const finishBackground = this.#serve(session, started, logger);
      await this.#stop.requested;
      const { server } = session.service.config;
      const { drain_ms, drain_delay_ms } = server;
      logger.info({ signal: this.#stop.signal(), drain_ms, drain_delay_ms }, "draining");
      await drain(started, server, finishBackground, logger);
    }
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
    const { storage, clock } = service;
    // A write too: a disk that is full can still be read.
    const probe = async (): Promise<void> => {
      await service.ready();
      await storage.put(["ready", "probe"], "{}");
    };
    const { requireDurable: required } = this.#options;
    const findings = await checkStorageRisks(storage, { logger, now: clock.now(), required, probe });
    const watch = new StorageWatch({ logger, probe, onChange: (up) => this.#metrics?.storageIsUp(up) });
    this.#storageWatch = watch;
    const changes = await StorageChanges.watch(storage, findings, {
      logger,
      now: () => clock.now(),
      onRisks: (count) => this.#metrics?.storageRisks(count),
    });
    return async () => {
      changes.stop();
      await watch.stop();
    };
  }

  /** Refreshes the news if that is due, and listens. Undefined when the stop signal came first. */
  async #start(session: DaemonSession, logger: Logger): Promise<Started | undefined> {
    const { faults } = this.#options;
    const { service } = session;
    const { config, clock, news } = service;
    const refreshes = new RefreshTimer({ news, clock, logger, interval_s: config.news.refresh_interval_s });
    await Promise.race([refreshes.first(), this.#stop.requested]);
    if (this.#stop.signal() !== undefined) return undefined;
    if (faults !== undefined) {
      await faults.arm(service);
      logger.warn({ faults: faults.texts }, "fault injection is on");
    }
    const { in_flight: all, in_flight_per_user: perUser } = config.limits;
    const inFlight = createConcurrencyLimits({ all, perUser });
    const rates = await openRateLimits(config);
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
    const draining = (): boolean => this.#stop.signal() !== undefined;
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
      inFlight,
      rates,
      meter: metrics,
      metrics: ownPort === undefined ? metrics : undefined,
    });
    const listeners = [await listen(app, server.host, server.port, tlsFilesOf(config, baseDir))];
    if (metrics !== undefined && ownPort !== undefined) {
      listeners.push(await listen(createMetricsApp({ ids, logger, metrics }), config.metrics.host, ownPort));
    }
    return listeners;
  }

  /** Reports that the daemon listens, and starts the background work. Returns the function that ends it. */
  #serve(session: DaemonSession, { listeners, refreshes }: Started, logger: Logger): () => Promise<unknown> {
    const { service, fixtureUsers: users } = session;
    const url = listeners[0]!.url;
    const storage = service.storage.url;
    logger.info({ url, storage, metrics: listeners[1]?.url }, "listening");
    this.#options.say(startBanner({ url, storage, faults: this.#options.faults?.texts, users }));
    refreshes.start();
    const warmUp = service.warm().catch((error: unknown) => {
      logger.warn({ err: error }, "could not warm up");
    });
    const stopping = new AbortController();
    const tidying = tidy(service, logger, stopping.signal);
    return () => {
      refreshes.stop();
      stopping.abort();
      return Promise.all([warmUp, tidying]);
    };
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

/** The certificate's files; paths of the configuration are relative to `baseDir`. */
function tlsFilesOf({ server }: Config, baseDir: string): TlsFiles | undefined {
  const { tls } = server;
  return tls === undefined ? undefined : { cert: resolve(baseDir, tls.cert_file), key: resolve(baseDir, tls.key_file) };
}
