import { readFileSync } from "node:fs";
import { H3, type H3Event } from "h3";
import { z } from "zod";
import { createAuditLog, type AuditCall } from "../../admin/audit-log.ts";
import { NOT_AT_ADMIN, outputSchema, type LastFrame, type OutputFrame } from "../../contract/admin-call.ts";
import { ENDPOINTS } from "../../contract/endpoints.ts";
import { AnpError, invalid } from "../../contract/errors.ts";
import { isOperatorToken, type Role } from "../../contract/roles.ts";
import { validate } from "../../contract/validation/validate-value.ts";
import { createWindowCounter } from "../../runtime/cache/window-counter.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../service/service.ts";
import { clientAddress } from "../limits/client-address.ts";
import { createConcurrencyLimits, type UserSlot } from "../limits/concurrency-limits.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { allow, readJson } from "../read-request.ts";
import { createRequestWrapper, mountPage, type RequestMeter } from "../request-wrapper.ts";
import { page } from "../respond.ts";

const IN_A_MINUTE = 10; // Failed tokens of one address, and recorded refusals of one operator.
const AT_ONCE = { in_flight: 8, in_flight_per_user: 4 }; // Concurrent commands, in total and per operator.
const BODY_BYTES = 64 * 1024;
const MAX_COMMAND_MS = 900_000; // Longest time of a command; then its response is aborted, ms.
const TOKEN = /^(?:anp_|anpop_|eyJ).{9}/; // Looks like a token: only its start is kept, as in `anp tokens list`.
const TOKEN_START = 12;
const NO_TOKEN = "The operator's token is missing or invalid. A user's token is not accepted here.";
const USERS_TOKEN = "A user's token is not valid at the admin address; the API is at the daemon's other address.";

/** What a running command gets from the request. */
export interface AdminOutput extends z.infer<typeof outputSchema> {
  readonly write: (frame: OutputFrame) => Promise<void>; // Resolves with backpressure; rejects when the caller has gone.
  readonly signal: AbortSignal; // Aborted when the caller has gone, the time is up, or the daemon stops.
}

/** A command that operators may run, `name` as `ledger list`. */
export interface AdminCommand {
  readonly name: string;
  readonly role: Role;
  /** @returns the arguments for the audit log, and a function that runs the command @throws AnpError 422 */
  readonly read: (body: Readonly<Record<string, unknown>>, operator: string) => Promise<ReadCall>;
}

type ReadCall = { recorded: AuditCall["arguments"]; readonly run: (output: AdminOutput) => Promise<LastFrame> };

interface AdminOptions {
  readonly service: Service;
  readonly logger: Logger;
  readonly commands: readonly AdminCommand[];
  readonly meter?: (RequestMeter & Pick<Metrics, "adminCalled">) | undefined;
  readonly stop: AbortSignal; // Aborted when the daemon stops, to end commands without an end of their own.
}

/** A daemon's admin address: each command at `POST /admin/v1/<its words>`, for operators. */
export function createAdminApp(options: AdminOptions): H3 {
  const { service, logger, commands, meter } = options;
  const wrap = createRequestWrapper(service, logger, meter);
  const app = new H3({ silent: true });
  const context = openContext(options);
  for (const command of commands) {
    const answer = wrap("admin", async (event, request_id) => {
      allow(event.req, "POST");
      return runCommand(event, command, await authenticate(event, command, request_id, context), context);
    });
    app.all(`/admin/v1/${command.name.replace(" ", "/")}`, answer);
  }
  // The build makes it of the declarations of the commands (`scripts/write-admin-openapi.js`).
  const document = readFileSync(new URL("admin-openapi.written", import.meta.url), "utf8");
  mountPage(app, "/admin/openapi.json", wrap, "admin-openapi", () => page(document, "application/json; charset=utf-8"));
  const operations: readonly string[] = Object.values(ENDPOINTS).map(({ path }) => path);
  const unknown = wrap("unknown", ({ req, url }) => {
    const isUsers = req.headers.has("x-user-token") && operations.includes(url.pathname);
    throw isUsers ? unauthorized(USERS_TOKEN) : new AnpError(404, NOT_AT_ADMIN);
  });
  return app.all("/**", unknown);
}

type CallContext = ReturnType<typeof openContext>;

function openContext(options: AdminOptions) {
  const [failures, refusals] = [createWindowCounter(60_000), createWindowCounter(60_000)];
  const limits = createConcurrencyLimits({ ...AT_ONCE, refused: options.meter?.refused });
  return { ...options, audit: createAuditLog(options.service), limits, failures, refusals };
}

/** Identifies the caller. @throws AnpError 401, 403, and 429 for an address that sent too many invalid tokens */
async function authenticate(event: H3Event, command: AdminCommand, call: string, context: CallContext) {
  const { service, failures, meter } = context;
  const { name, role } = command;
  const address = clientAddress(event.req, service.config.server.trusted_proxies);
  const { times, left_ms } = failures(address, 0);
  if (times >= IN_A_MINUTE) {
    meter?.adminCalled(name, "locked");
    const headers = { "retry-after": String(Math.ceil(left_ms / 1000)) };
    throw new AnpError(429, "Too many calls of this address had no valid token.", { headers });
  }
  const [, token = ""] = /^Bearer (\S+)$/i.exec(event.req.headers.get("authorization") ?? "") ?? [];
  const active = isOperatorToken(token) ? await service.operators.identify(token) : undefined;
  const ended = active === undefined && isOperatorToken(token) ? await service.operators.find(token) : undefined;
  const found = active ?? ended;
  const caller = { call, operator: found?.user_id ?? "", role: found?.role ?? null, address, command: name };
  if (active !== undefined && (role === "support" || active.role === "operator")) return caller;
  meter?.adminCalled(name, active === undefined ? "unauthorized" : "forbidden");
  if (active === undefined && token !== "") failures(address);
  // The number of recorded refusals is limited: a client in a loop must not fill the storage.
  if (found !== undefined && context.refusals(found.user_id).times <= IN_A_MINUTE) {
    // An invalid body has no arguments to record.
    const sent = active && (await readCall(event, command, active.user_id, service).catch(() => undefined));
    await context.audit.refused({ ...caller, user: sent?.user ?? null, arguments: sent?.arguments ?? {} });
  }
  if (ended?.state === "revoked") throw unauthorized(`This token was revoked on ${ended.revoked_at}.`);
  if (ended?.state === "expired") throw unauthorized(`This token expired on ${ended.expires_at}.`);
  if (active === undefined) throw unauthorized(NO_TOKEN);
  throw new AnpError(403, `${name} needs the role operator; the role of ${active.user_id} is ${active.role!}.`);
}

const unauthorized = (message: string): AnpError =>
  new AnpError(401, message, { headers: { "www-authenticate": 'Bearer realm="anp admin"' } });

type Caller = Omit<AuditCall, "user" | "arguments">;

/** Runs a command after its call is recorded, and streams its output as JSON lines, one frame per line. */
async function runCommand(event: H3Event, command: AdminCommand, caller: Caller, context: CallContext) {
  const { service, logger, audit, limits, meter, stop } = context;
  const { call, operator } = caller;
  limits.enter();
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const frames = stream.writable.getWriter();
  const gone = new AbortController();
  frames.closed.catch(() => gone.abort());
  const deadline = setTimeout(() => void frames.abort(new Error("The time is up.")), MAX_COMMAND_MS).unref();
  const write = (frame: OutputFrame | LastFrame) => frames.write(Buffer.from(`${JSON.stringify(frame)}\n`));
  let slot: UserSlot | undefined;
  const leave = (): void => {
    clearTimeout(deadline);
    limits.leave();
    if (slot !== undefined) limits.leaveAs(slot);
  };
  try {
    slot = limits.enterAs(operator);
    const { run, output, ...values } = await readCall(event, command, operator, service);
    const end = await audit.begin({ ...caller, ...values });
    const ended = async (frame: LastFrame): Promise<void> => {
      const outcome = "ask" in frame ? "asked" : `exit ${frame.exit}`;
      meter?.adminCalled(command.name, outcome);
      await end(outcome).catch((err: unknown) => logger.error({ err, call }, "an outcome is not recorded"));
      await write(frame);
      await frames.close();
    };
    frames.write(Buffer.from("\n")).catch(() => undefined); // The head of the response is sent with its first byte.
    void run({ ...output, write, signal: AbortSignal.any([gone.signal, stop]) })
      .then(ended)
      .catch((err: unknown) => frames.abort(err).catch(() => undefined))
      .finally(leave);
  } catch (error) {
    leave();
    throw error;
  }
  return page(stream.readable, "application/x-ndjson", { headers: { "x-request-id": call } });
}

/** Parses the body: how to run the command, and what to audit, without tokens. @throws AnpError as `readJson`, and 422 */
async function readCall(event: H3Event, command: AdminCommand, operator: string, { tokens, config }: Service) {
  const { value } = await readJson(event, { bytes: BODY_BYTES, ms: config.server.body_ms });
  const checked = validate(z.looseObject(outputSchema.shape), value);
  if (!checked.valid)
    throw invalid(checked.errors.map(({ path, message }) => ({ in: "body", path: path.join("."), message })));
  const { format, quiet, terminal, ...body } = checked.data;
  const { run, recorded } = await command.read(body, operator);
  let subject: string | null = null;
  for (const [name, text] of Object.entries(recorded)) {
    if (typeof text !== "string") continue;
    // Text in the form of a token's id counts as one only in the argument `token`.
    const token = name !== "token" && /^[0-9a-f]{16}$/.test(text) ? undefined : await tokens.find(text);
    if (name === "token") subject = token?.user_id ?? null;
    if (token !== undefined) recorded[name] = name === "user" ? token.user_id : token.id;
    else if (TOKEN.test(text)) recorded[name] = `${text.slice(0, TOKEN_START)}…`;
  }
  const { user = subject, ...others } = recorded;
  return { run, output: { format, quiet, terminal }, user: user as string | null, arguments: others };
}
