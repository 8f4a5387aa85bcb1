import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createApp, createMetricsApp } from "../http/app.ts";
import { createInFlight } from "../http/in-flight.ts";
import type { TlsFiles } from "./listen.ts";
import { createMetrics, type Metrics } from "../http/metrics.ts";
import type { Fault } from "../faults/fault-catalogue.ts";
import type { Faults } from "../faults/inject-faults.ts";
import { fixedClock, systemClock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { ServiceObserver } from "../service/observer.ts";
import { isOutage, type StorageError } from "../storage/storage-errors.ts";
import type { Storage } from "../storage/storage.ts";
import type { Context } from "../cli/framework/define-command.ts";
import { CommandFailure, EXIT } from "../cli/framework/exit.ts";
import { withSession, type Session } from "../cli/target/session.ts";
import { version } from "../runtime/version.ts";
import { allowFaults, openFaults } from "../cli/commands/serve/fault-flag.ts";
import { listenAt } from "./listen-at.ts";
import { createPinoLogger, type BufferedLogger } from "./pino-logger.ts";
import { openRateLimits } from "./open-rate-limits.ts";
import { createRefreshTimer } from "./refresh-timer.ts";
import { awaitStopSignal, type Stop } from "./stop-signals.ts";
import { checkStorageRisks } from "./storage-risks.ts";
import { watchStorageChanges } from "./storage-changes.ts";
import { createStorageWatch, type StorageWatch } from "./storage-watch.ts";

/** What is left to the event loop once all is closed, ms. */
const GRACE_MS = 100;

/** What the flags of `serve` say. */
export interface DaemonOptions {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly logLevel: string | undefined;
  /** Refuse to start on a storage that may lose what it acknowledged. */
  readonly requireDurable: boolean;
  /** What is made to fail. */
  readonly fault: readonly Fault[];
}

/** What a daemon is made of, beside its session. */
interface Parts {
  readonly context: Context;
  readonly logger: BufferedLogger;
  /** Absent when the configuration turns them off. */
  readonly metrics: Metrics | undefined;
  readonly growHeap: () => void;
  readonly faults: Faults | undefined;
}

/**
 * Runs the daemon until it is told to stop, then drains.
 *
 * @param growHeap called when the daemon comes under load
 */
export async function runDaemon(options: DaemonOptions, context: Context, growHeap: () => void): Promise<void> {
  const { host, port, logLevel } = options;
  const { now } = context.globals;
  const faults = await openFaults(options.fault);
  let logger: BufferedLogger | undefined;
  let metrics: Metrics | undefined;
  let watch: StorageWatch | undefined;
  const stop = awaitStopSignal(() => logger?.end());
  try {
    await withSession(
      context,
      async (session) => {
        const look = (): Promise<void> => probe(session);
        const { storage, clock } = session.service;
        const findings = await checkStorageRisks(storage, {
          logger: logger!,
          now: clock.now(),
          required: options.requireDurable,
          probe: look,
        });
        watch = createStorageWatch({ logger: logger!, probe: look, onChange: (up) => metrics?.storageIsUp(up) });
        const stopWatching = await watchStorageChanges(storage, findings, {
          logger: logger!,
          now: () => clock.now(),
          onRisks: (count) => metrics?.storageRisks(count),
        });
        await serveUntil(stop, session, { context, logger: logger!, metrics, growHeap, faults });
        stopWatching();
        await watch.stop();
      },
      {
        create: true,
        ...(faults === undefined
          ? {}
          : {
              open: faults.open,
              check: (config) => {
                allowFaults(config, context);
              },
            }),
        reload: true,
        config: { "server.host": host, "server.port": port, "log.level": logLevel },
        logger: (config) => {
          logger = createPinoLogger(config.log.level, now === undefined ? systemClock : fixedClock(now));
          return logger;
        },
        observer: (config) => {
          metrics = config.metrics.enabled ? createMetrics(version()) : undefined;
          return observerOf(metrics, (error) => watch?.failed(error));
        },
      },
    );
    logger?.info({}, "stopped");
    // A feed that does not answer holds a refresh up, and with it the process: nothing waits for that any more.
    globalThis.setTimeout(() => process.exit(), GRACE_MS).unref();
  } catch (error) {
    // Until it is watched, nothing was served from it.
    throw watch === undefined && isOutage(error) ? unusable(error) : error;
  } finally {
    stop.forget();
    await logger?.end();
  }
}

/** What of the storage was read or written first means nothing to whoever starts a daemon on it. */
function unusable(error: StorageError): Error {
  const [, reason] = /^Cannot \w+ \S+: (.*)$/s.exec(error.message) ?? [];
  if (reason === undefined) return error;
  return new CommandFailure(EXIT.unreachable, `The storage cannot be used: ${reason}`, { cause: error });
}

/** A read and a write: a disk that is full can still be read. */
async function probe({ service }: Session): Promise<void> {
  await service.ready();
  await service.storage.put(["ready", "probe"], "{}");
}

function observerOf(metrics: Metrics | undefined, failed: (error: unknown) => void): ServiceObserver {
  const ignore = (): void => undefined;
  const silent = { posted: ignore, conflicted: ignore, modelCalled: ignore, refreshed: ignore, storageCalled: ignore };
  return {
    ...(metrics ?? silent),
    storageFailed(verb, error) {
      metrics?.storageFailed(verb, error);
      failed(error);
    },
  };
}

async function serveUntil(stop: Stop, session: Session, parts: Parts): Promise<void> {
  const { context, logger, metrics, faults } = parts;
  const { service } = session;
  const { config, clock, ids, news, events } = service;
  const { server } = config;
  const refreshes = createRefreshTimer({ news, clock, logger, interval_s: config.news.refresh_interval_s });
  await Promise.race([refreshes.first(), stop.asked]);
  if (stop.signal() !== undefined) return;
  if (faults !== undefined) {
    await faults.arm(service);
    logger.warn({ faults: faults.texts }, "faults are on");
  }

  const draining = (): boolean => stop.signal() !== undefined;
  const { in_flight: all, in_flight_per_user: perUser } = config.limits;
  const inFlight = createInFlight({ all, perUser, onBusy: parts.growHeap });
  metrics?.watch({
    now: () => clock.now(),
    newsStatus: () => news.status(),
    queue: () => events.queue(),
    inFlight: () => inFlight.running(),
    draining,
  });
  const ownPort = config.metrics.port;
  const counting = await openRateLimits(config);
  const app = createApp(service, logger, {
    draining,
    inFlight,
    rates: counting.rates,
    meter: metrics,
    metrics: ownPort === undefined ? metrics : undefined,
  });
  const listening = [await listenAt(app, server.host, server.port, tlsOf(session))];
  const { url } = listening[0]!;
  if (metrics !== undefined && ownPort !== undefined) {
    listening.push(await listenAt(createMetricsApp({ ids, logger, metrics }), config.metrics.host, ownPort));
  }
  logger.info({ url, storage: service.storage.url, metrics: listening[1]?.url }, "listening");
  context.terminal.say(banner(url, session, faults));
  refreshes.start();
  const warming = service.warm().catch((error: unknown) => {
    logger.warn({ err: error }, "could not warm up");
  });
  const stopping = new AbortController();
  const tidying = tidy(service.storage, logger, stopping.signal);

  await stop.asked;
  const { drain_ms, drain_delay_ms } = server;
  logger.info({ signal: stop.signal(), drain_ms, drain_delay_ms }, "draining");
  refreshes.stop();
  stopping.abort();
  await setTimeout(drain_delay_ms);
  // Asked before the listeners cut them at the same moment.
  const cut = globalThis.setTimeout(() => {
    const requests = inFlight.running();
    if (requests > 0) logger.warn({ requests, drain_ms }, "requests were cut: they ran longer than drain_ms");
  }, drain_ms);
  await Promise.all([...listening.map((one) => one.stop(drain_ms)), warming, tidying]);
  clearTimeout(cut);
  await counting.close();
}

async function tidy(storage: Storage, logger: Logger, signal: AbortSignal): Promise<void> {
  try {
    // Its age is by the machine's clock, whatever instant the daemon was told to stand at.
    const removed = await storage.tidy(systemClock.now(), signal);
    if (removed > 0) logger.info({ removed }, "removed what killed writers left");
  } catch (error) {
    logger.warn({ err: error }, "what killed writers left could not be removed");
  }
}

/** The certificate's files; paths of the configuration are relative to it. */
function tlsOf({ service, baseDir }: Session): TlsFiles | undefined {
  const { tls } = service.config.server;
  if (tls === undefined) return undefined;
  return { cert: resolve(baseDir, tls.cert_file), key: resolve(baseDir, tls.key_file) };
}

function banner(url: string, { service, fixtureUsers }: Session, faults: Faults | undefined): string {
  const lines = [`anp listens on ${url}`, `storage: ${service.storage.url}`];
  if (faults !== undefined) lines.push(`faults: ${faults.texts.join(" ")}`);
  const first = fixtureUsers?.[0];
  if (fixtureUsers !== undefined && first !== undefined) {
    const width = Math.max(...fixtureUsers.map(({ user_id }) => user_id.length));
    lines.push("tokens of the fixture's users:");
    lines.push(...fixtureUsers.map(({ user_id, token }) => `  ${user_id.padEnd(width)}  ${token}`));
    lines.push("try:", `  curl -s -H 'X-User-Token: ${first.token}' ${url}/api/v1/ai/me`);
  }
  return lines.join("\n");
}
