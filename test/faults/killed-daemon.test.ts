import { afterAll, expect, it } from "vitest";
import type { Entry } from "../../src/ledger/entry.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { verifyLedger } from "../../src/ledger/verify.ts";
import { createQuotaRules } from "../../src/accounts/quota.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";

/** How often the daemon is killed; `ANP_KILLS=50` for the long run. */
const KILLS = Number(process.env["ANP_KILLS"] ?? 2);
const CLIENTS = 16;
const USERS = ["demo", "carol"];

interface Request {
  readonly key: string;
  readonly user: string;
  readonly path: string;
  readonly json: object;
}

interface Acknowledged extends Request {
  readonly data: unknown;
}

const folder = await temporaryFolder();
const url = `fs:${folder.path}`;
const start = (): Promise<Daemon> => startDaemon(["--demo", "--storage", url, "--log-level", "error"]);
afterAll(folder.remove);

async function send(
  daemon: Daemon,
  { key, user, path, json }: Request,
): Promise<{ response: Response; data: unknown }> {
  const response = await fetch(daemon.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-user-token": `${user}-token`, "idempotency-key": key },
    body: JSON.stringify(json),
  });
  const body = (await response.json()) as { data: unknown };
  return { response, data: body.data };
}

function request(number: number): Request {
  const user = USERS[number % 2]!;
  const key = `k-${number}`;
  return number % 3 === 0
    ? { key, user, path: "/api/v1/ai/points/exchange", json: { token_amount: 0.5 } }
    : { key, user, path: "/api/v1/ai/chat/send", json: { question: "What is the withdrawal fee?", session_id: 5 } };
}

/** An operation id is unique within its user. */
function nameOf(user: string, operation: string): string {
  return `${user} ${operation}`;
}

/** The entries of all users by their operation, straight from the files. */
async function entriesByKey(): Promise<Map<string, Entry>> {
  const storage = await openStorage(url);
  const ledger = createLedger({ storage, clock: fixedClock(0), quotaRules: createQuotaRules("+08:00") });
  const found = new Map<string, Entry>();
  for (const user of USERS) {
    expect((await verifyLedger(storage, user)).fault).toBeUndefined();
    for await (const entry of ledger.entries(user)) {
      const name = nameOf(user, entry.operation.id);
      expect(found.has(name)).toBe(false);
      found.set(name, entry);
    }
  }
  return found;
}

it(
  `keeps every answered request and doubles none when the daemon is killed under load ${KILLS} times`,
  async () => {
    let number = 0;
    let answeredInAll = 0;
    let replayed = 0;
    for (let round = 0; round < KILLS; round++) {
      let daemon = await start();
      const acknowledged: Acknowledged[] = [];
      const unknown: Request[] = [];
      const enough = 20 + ((round * 37) % 60);
      const client = async (): Promise<void> => {
        for (;;) {
          const asked = request(number++);
          try {
            const { response, data } = await send(daemon, asked);
            expect(response.status).toBe(200);
            acknowledged.push({ ...asked, data });
            if (acknowledged.length === enough) daemon.process.kill("SIGKILL");
          } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            unknown.push(asked);
            return;
          }
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      expect(await daemon.end("SIGKILL")).toBe("SIGKILL");

      const entries = await entriesByKey();
      for (const { user, key } of acknowledged) expect(entries.has(nameOf(user, `key:${key}`)), key).toBe(true);

      daemon = await start();
      for (const asked of unknown) {
        const { response, data } = await send(daemon, asked);
        expect(response.status).toBe(200);
        expect(data).toBeDefined();
        const charged = entries.has(nameOf(asked.user, `key:${asked.key}`));
        expect(response.headers.get("idempotency-replayed")).toBe(charged ? "true" : null);
        if (charged) replayed++;
      }
      for (const { data, ...asked } of acknowledged.slice(-5)) expect((await send(daemon, asked)).data).toEqual(data);
      expect(await daemon.end("SIGTERM")).toBe(0);
      answeredInAll += acknowledged.length;
    }
    const entries = await entriesByKey();
    expect([...entries.keys()].filter((name) => name.includes(" key:k-"))).toHaveLength(number);
    console.log(`${KILLS} kills: ${answeredInAll} answered, ${replayed} charged without an answer and replayed`);
  },
  30_000 + KILLS * 20_000,
);
