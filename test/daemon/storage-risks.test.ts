import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchStorageRisks } from "../../src/daemon/storage-risks.ts";
import type { Finding } from "../../src/storage/health/finding.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("reports a finding once, though its text differs at each examination, and again when it gets worse", async () => {
  let level: Finding["level"] = "warning";
  const found = (): Finding[] => [{ level, subject: "files", message: `/data/.x-${randomUUID()}.tmp: EACCES` }];
  const storage = { ...(await openStorage("memory:")), examine: () => Promise.resolve(found()) };
  const told: string[] = [];
  const tell = (_fields: object, message: string): number => told.push(message.replace(/-[0-9a-f-]{36}/, ""));
  const logger = { debug: tell, info: tell, warn: tell, error: tell };
  const stop = watchStorageRisks(storage, found(), { logger, now: () => 0 });
  await vi.advanceTimersByTimeAsync(200_000);
  expect(told).toEqual([]);
  level = "error";
  await vi.advanceTimersByTimeAsync(200_000);
  expect(told).toEqual(["storage: /data/.x.tmp: EACCES"]);
  level = "ok";
  await vi.advanceTimersByTimeAsync(200_000);
  expect(told.at(-1)).toBe("storage: resolved: /data/.x.tmp: EACCES");
  expect(told).toHaveLength(2);
  stop();
});
