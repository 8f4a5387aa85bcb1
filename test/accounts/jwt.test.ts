import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { createJwtVerifier, jwtConfig } from "../../src/accounts/jwt.ts";
import { openFixtureService, ANCHOR } from "../support/service.ts";

const SECRET = "a shared secret of 32 characters!";
const key = new TextEncoder().encode(SECRET);
const seconds = ANCHOR / 1000;

const sign = (claims: Record<string, unknown>, exp: number = seconds + 60): Promise<string> => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" });
  return token.setExpirationTime(exp).sign(key);
};

describe("platform tokens with a shared secret", () => {
  const flags = { "auth.jwt": { secret: SECRET, issuer: "platform", claims: { user_id: "uid" } } };

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

  it("are refused when wrong in any part", async () => {
    const { service, clock } = await openFixtureService({
      flags: { ...flags, "auth.cache_ms": 0 },
      refresh: false,
    });
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
  const flags = { "auth.jwt": { secret: SECRET } };

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
    const now = clock.now();
    await service.subscriptions.set("u1", "pro", { started_at: now - 2000, expires_at: now - 1000 });
    await service.authenticate(await sign({ sub: "u1", plan: "pro" }));
    expect(await service.subscriptions.get("u1")).toMatchObject({ plan: "pro", is_active: true, expires_at: null });
    for (const plan of ["toString", "constructor", "gold"]) {
      await service.authenticate(await sign({ sub: "u2", plan }));
      expect(await service.subscriptions.get("u2")).toMatchObject({ plan: "free", is_active: false });
    }
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
    expect(await verify(await token("k1"))).toEqual({ user_id: "u9", expires_at: ANCHOR + 60_000 });
    expect(await verify(await token("k2"))).toBeUndefined();
    expect(await verify(await sign({ sub: "u9" }))).toBeUndefined();
  });

  it("tell a key set that comes broken from a bad token", async () => {
    const answers: [number, string][] = [
      [503, "{}"],
      [200, "<html>"],
      [200, '{"error":"later"}'],
    ];
    for (const [status, body] of answers) {
      server = createServer((_request, response) => response.writeHead(status).end(body));
      await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const config = jwtConfig.parse({ jwks_url: `http://127.0.0.1:${port}/jwks` });
      const verify = await createJwtVerifier(config, { now: () => ANCHOR });
      await expect(verify(await sign({ sub: "u9" })), body).rejects.toThrow();
      server.close();
    }
  });

  it("tell an unreachable key set from a bad token", async () => {
    const config = jwtConfig.parse({ jwks_url: "http://127.0.0.1:1/jwks" });
    const verify = await createJwtVerifier(config, { now: () => ANCHOR });
    await expect(verify(await sign({ sub: "u9" }))).rejects.toThrow();
  });
});

it("needs exactly one of secret and key set", () => {
  expect(jwtConfig.safeParse({}).success).toBe(false);
  expect(jwtConfig.safeParse({ secret: SECRET, jwks_url: "https://x.example" }).success).toBe(false);
  expect(jwtConfig.safeParse({ secret: "short" }).success).toBe(false);
});
