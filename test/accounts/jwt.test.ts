import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createJwtVerifier } from "../../src/accounts/authenticator.ts";
import { eraseUser } from "../../src/admin/user-data.ts";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { createApp } from "../../src/http/app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { jwtConfig } from "../../src/config/config-schema.ts";
import { printKey } from "../../src/storage/documents.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openFixtureService, ANCHOR } from "../support/service.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const SECRET = "a shared secret of 32 characters!";
const key = new TextEncoder().encode(SECRET);
const seconds = ANCHOR / 1000;

const sign = (claims: Record<string, unknown>, exp: number = seconds + 60): Promise<string> => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" });
  return token.setExpirationTime(exp).sign(key);
};

describe("platform tokens with a shared secret", () => {
  const flags = { "auth.jwt.secret": SECRET, "auth.jwt.issuer": "platform", "auth.jwt.claims.user_id": "uid" };

  it("make the user known with the platform's quota, plan and language", async () => {
    const { service } = await openFixtureService({ flags, refresh: false });
    const token = await sign({ iss: "platform", uid: 77, free_daily_quota: 3, plan: "pro", lang: "en" });
    expect(await service.authenticate(token)).toBe("77");
    expect((await service.run("getMe", { request_id: "r", user: "77" }, {})).data).toMatchObject({
      user_id: "77",
      remaining_free_quota: 3,
    });
    expect((await service.run("getSubscription", { request_id: "r", user: "77" }, {})).data).toMatchObject({
      plan: "pro",
      is_active: true,
    });
  });

  it.each([0, 2000])("are refused for an erased user, who is left as erased, with a cache of %i ms", async (ms) => {
    const { service } = await openFixtureService({ flags: { ...flags, "auth.cache_ms": ms }, refresh: false });
    const claims = { iss: "platform", free_daily_quota: 3, plan: "pro", lang: "en", iat: seconds };
    const [own, free, other] = [
      await sign({ ...claims, uid: "alice" }), // She has 5 free uses.
      await sign({ ...claims, uid: "alice" }, seconds + 90),
      await sign({ ...claims, uid: "bob" }),
    ];
    expect(await service.authenticate(own)).toBe("alice");
    await service.adjust({ user: "alice", delta: 9, reason: "gift", actor: "ops", request_id: "r" });
    const about = { actor: "ops", reason: "asked", settled: () => Promise.resolve() };
    const { record } = await eraseUser(service, "alice", about, () => undefined);
    const app = createApp(service, silentLogger);
    const ask = async (path: string, token: string, method: string, sent?: object) => {
      const headers = { "x-user-token": token, ...(sent && { "content-type": "application/json" }) };
      const init = { method, headers, ...(sent && { body: JSON.stringify(sent) }) };
      const response = await app.request(`http://anp.test${path}`, init);
      const { code, message } = (await response.json()) as { code: number; message: string };
      return { status: response.status, code, message };
    };
    const before = (await service.ledger.open("alice")).version;
    const stored = async () => {
      const values: [string, string | undefined][] = [];
      for await (const key of service.storage.keys(["users", "alice"]))
        values.push([printKey(key), await service.storage.get(key)]);
      return values;
    };
    const left = await stored();
    const trade = { trade_type: "spot", volume_usd: 1000, ref_id: "t" };
    for (const [id, json] of [
      ["sendChat", { question: "hello" }],
      ["exchangePoints", { token_amount: 5 }],
      ["postTradeReward", trade],
    ] as const) {
      const message = `alice was erased on ${record.at}: only the ledger is kept.`;
      expect(await ask(ENDPOINTS[id].path, own, "POST", json)).toEqual({ status: 401, code: 401, message });
    }
    for (const { path, method, auth, body } of Object.values<Endpoint>(ENDPOINTS)) {
      const { status } = await ask(path, free, method, body && { ...trade, event_type: "click" });
      expect([path, status]).toEqual([path, auth === "required" ? 401 : 200]);
    }
    expect(await stored()).toEqual(left);
    expect((await service.ledger.open("alice")).version).toBe(before);
    expect((await ask(ENDPOINTS.getMe.path, other, "GET")).status).toBe(200);
    // An operator may still correct the ledger.
    await service.reverse({
      user: "alice",
      entry: before,
      reason: "gift",
      actor: "ops",
      request_id: "r",
      partial: false,
    });
    await service.adjust({ user: "alice", delta: 1, reason: "gift", actor: "ops", request_id: "r" });
    expect((await service.ledger.open("alice")).account.balance).toBe(1);
    await service.close();
  });

  it("are refused when wrong in any part", async () => {
    const { service, clock } = await openFixtureService({ flags: { ...flags, "auth.cache_ms": 0 }, refresh: false });
    const good = await sign({ iss: "platform", uid: "u1" });
    expect(await service.authenticate(good)).toBe("u1");
    const [header, payload, signature] = good.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const bad = [
      await sign({ iss: "platform", uid: "u1" }, seconds - 1),
      await sign({ iss: "other", uid: "u1" }),
      await sign({ iss: "platform" }),
      await sign({ iss: "platform", uid: "" }),
      await sign({ iss: "platform", uid: "x".repeat(129) }),
      await sign({ iss: "platform", uid: { a: 1 } }),
      await sign({ iss: "platform", uid: 2 ** 53 }),
      await sign({ iss: "platform", uid: 1.5 }),
      await sign({ iss: "platform", uid: "a\0b" }),
      await sign({ iss: "platform", uid: "\ud800" }),
      await sign({ iss: "platform", uid: "a\u001b[2J" }),
      await sign({ iss: "platform", uid: "a\u009bb" }),
      await sign({ iss: "platform", uid: "u1", pad: "x".repeat(4096) }),
      await new SignJWT({ iss: "platform", uid: "u1" }).setProtectedHeader({ alg: "HS256" }).sign(key),
      `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
      `${none}.${payload}.`,
      "a.b.c",
    ];
    for (const token of bad) expect(await service.authenticate(token)).toBeUndefined();
    clock.advance(61_000);
    expect(await service.authenticate(good)).toBeUndefined();
  });
});

describe("platform tokens that are remembered", () => {
  const flags = { "auth.jwt.secret": SECRET };

  it("do not reach the storage of opaque tokens, valid or not", async () => {
    const storage = watchedStorage(await openStorage("memory:"), () => "pass");
    const { service } = await openFixtureService({ flags, storage, refresh: false });
    const before = storage.calls.length;
    expect(await service.authenticate(await sign({ sub: "u1" }))).toBe("u1");
    expect(await service.authenticate(await sign({ sub: "u1" }, seconds - 1))).toBeUndefined();
    expect(storage.calls.slice(before).filter(({ key }) => /^tokens\b/.test(key))).toEqual([]);
    expect(await service.authenticate("alice-token")).toBe("alice");
  });

  it("are refused from the instant they expire", async () => {
    const { service, clock } = await openFixtureService({ flags: { ...flags, "auth.cache_ms": 2000 }, refresh: false });
    const token = await sign({ sub: "u1" });
    clock.advance(59_999);
    expect(await service.authenticate(token)).toBe("u1");
    clock.advance(1);
    expect(await service.authenticate(token)).toBeUndefined();
  });

  it("renew a plan that ran out here, and name no plan that is not configured", async () => {
    const { service, clock } = await openFixtureService({ flags, refresh: false });
    await service.subscriptions.setPlan("u1", "pro", clock.now() - 1000);
    await service.authenticate(await sign({ sub: "u1", plan: "pro" }));
    expect(await service.subscriptions.get("u1")).toMatchObject({ plan: "pro", is_active: true, expires_at: null });
    for (const plan of ["toString", "constructor", "gold"]) {
      await service.authenticate(await sign({ sub: "u2", plan }));
      expect(await service.subscriptions.get("u2")).toMatchObject({ plan: "free", is_active: false });
    }
  });
});

describe("platform tokens of different age", () => {
  const older = { ago: 60, plan: "free", free_daily_quota: 1, lang: "en" };
  const newer = { ago: 30, plan: "pro", free_daily_quota: 7 };

  type Daemon = Awaited<ReturnType<typeof openFixtureService>>;
  let storage: ReturnType<typeof watchedStorage>;
  let daemons: Daemon[];
  let reader: Daemon;
  let users = 0;
  beforeAll(async () => {
    storage = watchedStorage(await openStorage("memory:"), () => "pass");
    const open = (seed: string, cache_ms: number): Promise<Daemon> => {
      const flags = { "auth.jwt.secret": SECRET, "auth.cache_ms": cache_ms };
      return openFixtureService({ flags, storage, seed, refresh: false });
    };
    daemons = [await open("one", 1000), await open("two", 1000)];
    reader = await open("three", 0);
  });

  /** What is known of a new user after the tokens were used on two daemons in turn, and how much was written for each. */
  async function after(tokens: readonly { ago: number; plan: string; free_daily_quota?: number }[]) {
    const user = `user ${users++}`;
    const puts: number[] = [];
    const times: string[] = [];
    for (const [index, { ago, ...claims }] of tokens.entries()) {
      // A token that was used is remembered: another one with the same words is not.
      const token = await sign({ sub: user, iat: seconds - ago, ...claims, jti: String(index) }, seconds + 3600);
      const { service, clock } = daemons[index % 2]!;
      clock.set(reader.clock.now());
      reader.clock.advance(1000);
      times.push(new Date(clock.now()).toISOString());
      const before = storage.calls.length;
      expect(await service.authenticate(token)).toBe(user);
      puts.push(storage.calls.slice(before).filter(({ verb }) => verb === "put" || verb === "create").length);
    }
    const profile = (await reader.service.users.get(user))!;
    const subscription = await reader.service.subscriptions.get(user);
    return { quota: profile.free_daily_quota, lang: profile.lang, subscription, puts, times };
  }

  it("leave what the newest one said, in whatever order and on whatever daemon they are used", async () => {
    for (const tokens of [
      [older, newer],
      [newer, older],
      [older, newer, older, older, newer],
    ]) {
      expect(await after(tokens)).toMatchObject({ quota: 7, subscription: { plan: "pro", is_active: true } });
    }
  });

  it("keep what a newer one says nothing of", async () => {
    expect(await after([older, newer])).toMatchObject({ lang: "en" });
  });

  it("do not begin a plan anew that runs already", async () => {
    const { subscription, times } = await after([newer, { ...newer, ago: 20 }, older]);
    expect(subscription).toMatchObject({ plan: "pro", started_at: times[0] });
  });

  it("write nothing once all is known, however they take turns", async () => {
    const { puts } = await after([older, newer, newer, older, older, newer, newer]);
    expect(puts.slice(2)).toEqual([0, 0, 0, 0, 0]);
  });

  it("decide alike where they were issued in the same second", async () => {
    const [free, pro] = ["free", "pro"].map((plan) => ({ ago: 30, plan }));
    const orders = [
      [free!, pro!],
      [pro!, free!],
    ];
    const plans = [];
    for (const order of orders) plans.push((await after([...order, ...order])).subscription.plan);
    expect(plans[0]).toBe(plans[1]);
  });
});

describe("platform tokens with a key set", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  it("are checked against the keys the platform serves", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] });
    server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(jwks);
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const config = jwtConfig.parse({ jwks_url: `http://127.0.0.1:${port}/jwks` });
    const verify = await createJwtVerifier(config, { now: () => ANCHOR });
    const token = (kid: string): Promise<string> =>
      new SignJWT({ sub: "u9" })
        .setProtectedHeader({ alg: "ES256", kid })
        .setExpirationTime(seconds + 60)
        .sign(privateKey);
    expect(await verify(await token("k1"))).toMatchObject({ user_id: "u9", expires_at: ANCHOR + 60_000 });
    expect(await verify(await token("k2"))).toBeUndefined();
    expect(await verify(await sign({ sub: "u9" }))).toBeUndefined();
  });

  it("distinguish a key set that comes broken from a bad token", async () => {
    const answers: [number, string][] = [
      [503, "{}"],
      [200, "<html>"],
      [200, '{"error":"later"}'],
      [200, `{"keys":[]${" ".repeat(1024 * 1024)}}`],
    ];
    for (const [status, body] of answers) {
      server = createServer((_request, response) => response.writeHead(status).end(body));
      await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const config = jwtConfig.parse({ jwks_url: `http://127.0.0.1:${port}/jwks` });
      const verify = await createJwtVerifier(config, { now: () => ANCHOR });
      await expect(verify(await sign({ sub: "u9" })), body.slice(0, 20)).rejects.toThrow();
      server.close();
    }
  });

  it("are refused with 503 and one line in the log while it is unreachable, and are anonymous where optional", async () => {
    const lines: string[] = [];
    const note = (_fields: object, message: string): void => void lines.push(message);
    const logger = { ...silentLogger, warn: note, error: note };
    const flags = { "auth.jwt.jwks_url": "http://127.0.0.1:1/jwks" };
    const { service } = await openFixtureService({ flags, logger, refresh: false });
    const app = createApp(service, logger);
    const token = await sign({ sub: "u9" });
    const send = async (path: string, init: RequestInit = {}): Promise<[number, number, string]> => {
      const headers = { "x-user-token": token, "content-type": "application/json" };
      const response = await app.request(`http://anp.test/api/v1/ai/${path}`, { ...init, headers });
      const { code, message } = (await response.json()) as { code: number; message: string };
      return [response.status, code, message];
    };
    for (let n = 0; n < 3; n++) {
      expect(await send("me")).toEqual([503, 503, "The keys of the platform's tokens cannot be read."]);
    }
    expect((await send("hot-topics"))[0]).toBe(200);
    expect((await send("points/trade-reward", { method: "POST", body: "{}" }))[1]).toBe(500);
    expect(lines).toEqual([expect.stringContaining("the key set of auth.jwt.jwks_url cannot be read")]);
  });
});

describe("the log of platform tokens", () => {
  const flags = { "auth.jwt.secret": SECRET, "auth.jwt.audience": "anp", "auth.cache_ms": 0 };
  type Line = Readonly<{ level: string; message: string } & Record<string, unknown>>;

  async function openLogged() {
    const lines: Line[] = [];
    const noted = (level: string) => (fields: object, message: string) =>
      void lines.push({ level, message, ...fields });
    const logger = { ...silentLogger, debug: noted("debug"), warn: noted("warn") };
    const { service } = await openFixtureService({ flags, logger, refresh: false });
    return { service, lines };
  }

  it("has the reason of each refused one at debug, never the token, a hundred a second", async () => {
    const { service, lines } = await openLogged();
    const bad: [string, string][] = [
      [await new SignJWT({ aud: "anp", sub: "u" }).setProtectedHeader({ alg: "HS256" }).sign(key), '"exp"'],
      [await sign({ aud: "anp", sub: "u" }, seconds - 1), '"exp"'],
      [await sign({ aud: "other", sub: "u" }), '"aud"'],
      [`${await sign({ aud: "anp", sub: "u" })}A`, "signature"],
      [await sign({ aud: "anp", sub: "" }), "sub must have 1 to 128 characters"],
      ...(await Promise.all(
        [" a", "a ", "\u3000a", "a\u00a0", "x\u202ey", "x\u200by", "\ufeffx", "x\u{e0041}", "x\ty"].map(
          async (sub): Promise<[string, string]> => [
            await sign({ aud: "anp", sub }),
            "sub must have 1 to 128 characters",
          ],
        ),
      )),
      [await sign({ aud: "anp", sub: "u", pad: "x".repeat(4096) }), "longer than 4096"],
    ];
    for (const [token] of bad) expect(await service.authenticate(token)).toBeUndefined();
    expect(lines).toEqual(
      bad.map(([, reason]) => ({
        level: "debug",
        message: "a token of the platform was refused",
        reason: expect.stringContaining(reason) as string,
      })),
    );
    for (const [token] of bad) expect(JSON.stringify(lines)).not.toContain(token.split(".")[2]);
    for (let n = 0; n < 200; n++) await service.authenticate(bad[0]![0]);
    expect(lines.length).toBeLessThanOrEqual(100);
  });

  it("takes ids with visible characters and single words apart", async () => {
    const { service } = await openLogged();
    for (const sub of ["a b", "岚 01", "CORP\\ana", "é", "a  b"])
      expect(await service.authenticate(await sign({ aud: "anp", sub }))).toBe(sub);
  });

  it("names ignored claims and their bounds, in few lines", async () => {
    const { service, lines } = await openLogged();
    const claims = [{ plan: "gold" }, { free_daily_quota: -1 }, { free_daily_quota: "9" }, { free_daily_quota: 1e300 }];
    for (const claim of claims)
      expect(await service.authenticate(await sign({ aud: "anp", sub: "u", ...claim }))).toBe("u");
    const message =
      "claims of the platform's tokens were ignored: the stored value, or for a new user the default, is used";
    expect(lines).toEqual([{ level: "warn", message, times: 1, rule: "plan must be one of free, pro" }]);
    const other = await openLogged();
    await other.service.authenticate(await sign({ aud: "anp", sub: "u", free_daily_quota: "9" }));
    expect(other.lines[0]!["rule"]).toBe("free_daily_quota must be an integer from 0 to 9007199254740991");
    await service.authenticate(await sign({ aud: "anp", sub: "v", plan: "pro", free_daily_quota: 0, lang: "fr" }));
    expect(lines).toHaveLength(1);
  });
});

it("needs exactly one of secret and key set", () => {
  expect(jwtConfig.safeParse({}).success).toBe(false);
  expect(jwtConfig.safeParse({ secret: SECRET, jwks_url: "https://x.example" }).success).toBe(false);
  expect(jwtConfig.safeParse({ secret: "short" }).success).toBe(false);
});
