import { request } from "node:http";
import { expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { listen, PortError } from "../../src/http/listen.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openFixtureService } from "../support/service.ts";

async function serve() {
  const { service } = await openFixtureService({ refresh: false });
  const listening = await listen(createApp(service, silentLogger), "127.0.0.1", 0);
  return { ...listening, service };
}

/** Sends a body without saying how long it is, and gives the status of the answer. */
function sendChunked(url: string, bytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "bob-token" },
    });
    sending.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on("error", (error: NodeJS.ErrnoException) => {
      // The server has answered and closed while we still send.
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let sent = 0; sent < bytes; sent += chunk.length) sending.write(chunk);
    sending.end();
  });
}

it("lives on after it cut off a body of unknown length that was too large", async () => {
  const { url, stop, service } = await serve();
  for (let n = 0; n < 5; n++) expect(await sendChunked(`${url}/api/v1/ai/chat/send`, 2_000_000)).toBe(413);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await stop(1000);
  await service.close();
});

it("takes the asked port or says that it is in use", async () => {
  const { url, stop, service } = await serve();
  const app = createApp(service, silentLogger);
  await expect(listen(app, "127.0.0.1", Number(new URL(url).port))).rejects.toThrow(PortError);
  await stop(1000);
  await service.close();
});
