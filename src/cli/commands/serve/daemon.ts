import { createApp } from "../../../http/app.ts";
import { listen } from "../../../http/listen.ts";
import { fixedClock, systemClock } from "../../../runtime/clock.ts";
import type { Context } from "../../command.ts";
import { withSession, type Session } from "../../session.ts";
import { createPinoLogger, type FlushedLogger } from "./pino-logger.ts";
import { createRefreshTimer } from "./refresh-timer.ts";
import { awaitStop, type Stop } from "./stop.ts";

/** What is left to the event loop once all is closed, ms. */
const GRACE_MS = 100;

/** What the flags of `serve` say. */
export interface DaemonOptions {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly logLevel: string | undefined;
}

/** Runs the daemon until it is told to stop, then drains. */
export async function runDaemon({ host, port, logLevel }: DaemonOptions, context: Context): Promise<void> {
  const { now } = context.globals;
  let logger: FlushedLogger | undefined;
  const stop = awaitStop(() => logger?.flush());
  try {
    await withSession(context, (session) => serveUntil(stop, session, context, logger!), {
      create: true,
      reload: true,
      config: { "server.host": host, "server.port": port, "log.level": logLevel },
      logger: (config) => {
        logger = createPinoLogger(config.log.level, now === undefined ? systemClock : fixedClock(now));
        return logger;
      },
    });
    logger?.info({}, "stopped");
    // A feed that does not answer holds a refresh up, and with it the process: nothing waits for that any more.
    setTimeout(() => process.exit(), GRACE_MS).unref();
  } finally {
    stop.forget();
    logger?.flush();
  }
}

async function serveUntil(stop: Stop, session: Session, context: Context, logger: FlushedLogger): Promise<void> {
  const { service } = session;
  const { config, clock, news } = service;
  const { host, port, drain_ms } = config.server;
  // A storage that cannot be written must be told now, not at the first charge.
  await service.storage.put(["ready", "probe"], "{}");
  const refreshes = createRefreshTimer({ news, clock, logger, interval_s: config.news.refresh_interval_s });
  await Promise.race([refreshes.first(), stop.asked]);
  if (stop.signal() !== undefined) return;

  const app = createApp(service, logger, { draining: () => stop.signal() !== undefined });
  const listening = await listen(app, host, port);
  logger.info({ url: listening.url, storage: service.storage.url }, "listening");
  context.terminal.say(banner(listening.url, session));
  refreshes.start();
  const warming = service.warm().catch((error: unknown) => {
    logger.warn({ err: error }, "could not warm up");
  });

  await stop.asked;
  logger.info({ signal: stop.signal(), drain_ms }, "draining");
  refreshes.stop();
  await Promise.all([listening.stop(drain_ms), warming]);
}

function banner(url: string, { service, fixtureUsers }: Session): string {
  const lines = [`anp listens on ${url}`, `storage: ${service.storage.url}`];
  const first = fixtureUsers?.[0];
  if (fixtureUsers !== undefined && first !== undefined) {
    const width = Math.max(...fixtureUsers.map(({ user_id }) => user_id.length));
    lines.push("tokens of the fixture's users:");
    lines.push(...fixtureUsers.map(({ user_id, token }) => `  ${user_id.padEnd(width)}  ${token}`));
    lines.push("try:", `  curl -s -H 'X-User-Token: ${first.token}' ${url}/api/v1/ai/me`);
  }
  return lines.join("\n");
}
