import { spawnSync } from "node:child_process";
import type { Browser } from "playwright-core";

/** Where Chromium is on this machine; undefined when it is not installed. */
const path = ["/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => spawnSync("sh", ["-c", 'command -v "$0"', name], { encoding: "utf8" }).stdout.trim())
  .find((found) => found !== "");

/** Why tests in a browser cannot run here; undefined when they can. Under CI that is a failure. */
export const noChromium: string | undefined = path === undefined ? "chromium is not installed" : undefined;

if (noChromium !== undefined) {
  if (process.env["CI"] !== undefined) throw new Error(`Tests in a browser cannot run: ${noChromium}.`);
  console.warn(`Tests in a browser are skipped: ${noChromium}.`);
}

/** Starts a real Chromium that reaches the loopback and nothing else. */
export async function startChromium(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: path!,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}
