import type { DaemonPages } from "../../client/daemon-status.ts";
import { addressOf, readUrl } from "../../client/daemon-url.ts";
import type { Context } from "../framework/command-context.ts";
import { UsageError } from "../framework/command-failure.ts";
import { integer, optional, text } from "../params/param.ts";

/** The flag of commands that read a daemon's metrics. */
export const metricsUrlFlag = optional((typed: string) => readUrl(typed).href);
/** The flags that say where a daemon of this configuration listens. */
export const listenFlags = { host: optional(text(255)), port: optional(integer(0, 65_535)) };

/** The pages of the daemon that the command works on, else of the one that the configuration describes.
 * @throws UsageError, ConfigError */
export async function daemonPages(context: Context, metricsUrl: string | undefined): Promise<DaemonPages> {
  if (context.daemon !== undefined) return { url: context.daemon.url, metricsUrl };
  const { openConfig } = await import("./open-config.ts");
  const { server, metrics } = (await openConfig(context)).config;
  if (server.port === 0) throw new UsageError("server.port is 0, any free port: name the daemon with --url.");
  const own = metrics.port ? `${addressOf({ host: metrics.host, port: metrics.port })}/metrics` : undefined;
  return { url: addressOf(server), metricsUrl: metricsUrl ?? own, isOwn: true };
}
