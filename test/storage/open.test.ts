import { describe, expect, it } from "vitest";
import { StorageAddressError } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

describe("a storage URL", () => {
  async function refusalOf(url: string): Promise<string> {
    const failure = await openStorage(url).catch((error: unknown) => error);
    expect(failure, url).toBeInstanceOf(StorageAddressError);
    return (failure as StorageAddressError).message;
  }

  const SECRETS = [
    "s3cr3t", "s3cr3t?s3cr3t", "s3cr3t#s3cr3t", "s3cr3t/s3cr3t", "s3cr3t@s3cr3t", "s3cr3t:s3cr3t", "s3cr3t@s3cr3t?s3cr3t",
    "12345?s3cr3t", "12345/6?s3cr3t", "12345/6?s3cr3t=s3cr3t", "99999?s3cr3t", "12345/s3cr3t", "s3cr3t%", "s3cr3t?prefix=s3cr3t",
    "12345?wait_replicas=s3cr3t", "12345?s3cr3t&s3cr3t",
  ]; // prettier-ignore
  const FORMS = [
    "redis://bob:SECRET@h:1/x",
    "redis-cluster://bob:SECRET@h:1/9",
    "redis://bob:SECRET@h:99999/0",
    "redis://bob:SECRET@h:1/0?wait_ms=x",
    "redis://bob:SECRET@h:1/0?surprise=1",
    "redis://bob:SECRET",
    "redis://:SECRET",
    "Redis://bob:SECRET@h/0",
    "valkey://bob:SECRET@h/0",
    "bob:SECRET@h",
    "valkey://:SECRET",
    "s3://h?key=SECRET",
  ];

  it.each(FORMS)("that is refused shows nothing of its password: %s", async (form) => {
    // Without an @, what looks like a host's name and port is one.
    const hostless = !form.includes("@");
    for (const secret of SECRETS) {
      if (hostless && /@|^\d/.test(secret)) continue;
      const url = form.replace("SECRET", secret);
      const message = await refusalOf(url);
      expect(message, url).not.toContain("s3cr3t");
      expect(message, url).not.toContain("12345");
    }
  });

  it("that is not understood is shown as far as it may be", async () => {
    expect(await refusalOf("valkey://bob:p@ss/w@host:6379/0")).toContain('"valkey://…@host:6379/0" is not understood');
    expect(await refusalOf("s3:bucket")).toContain('"s3:bucket" is not understood');
    expect(await refusalOf("./data")).toContain('"./data" is not understood');
    expect(await refusalOf("redis://bob:a?b@host:6379/0")).toContain("In a password, write @ as %40");
    expect(await refusalOf("redis://host:99999/0")).toContain("a port from 1 to 65535");
    expect(await refusalOf("redis://host:1/0?surprise=1")).toContain('unknown parameter "surprise"');
  });

  it("waits for replicas no longer than a command may take", async () => {
    const refused = [
      ["redis://h/0?wait_replicas=1&wait_ms=700", 700, 700],
      ["redis://h/0?wait_replicas=1&timeout_ms=400", 500, 400],
      ["redis-cluster://h?wait_replicas=1&wait_ms=800&timeout_ms=2000", 800, 800],
      ["redis-cluster://h?wait_replicas=1&wait_ms=600&timeout_ms=600", 600, 600],
    ] as const;
    for (const [url, wait, bound] of refused) {
      const message = await refusalOf(url);
      expect(message).toContain(`wait_ms is ${wait}, but a command is given up after ${bound} ms`);
      expect(message).toContain(`Let wait_ms be less than ${bound}.`);
    }
    const taken = [
      "redis://h/0?wait_replicas=1&wait_ms=699",
      "redis://h/0?wait_replicas=1&wait_ms=1000&timeout_ms=1001",
      "redis-cluster://h?wait_replicas=1&wait_ms=799&timeout_ms=2000",
      "redis://h/0?timeout_ms=400",
    ];
    for (const url of taken) await (await openStorage(url)).close();
  });
});
