import { createAuditLog, type AuditCall } from "../../../admin/audit-log.ts";
import type { TokenRow } from "../../../accounts/tokens.ts";
import { ROLES } from "../../../contract/roles.ts";
import { collect } from "../../../runtime/batches.ts";
import { toIso } from "../../../runtime/clock.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT, type Context } from "../../framework/command.ts";
import { confirmChange, operatorFlags } from "../../framework/confirm.ts";
import { optional, required, expiry, oneOf, profileName, toggle } from "../../params/param.ts";
import { withAccounts } from "../../target/operations.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { printTable } from "../../terminal/print.ts";
import { printSecret } from "../users/tokens-commands.ts";

type OperatorRow = Omit<TokenRow, "user_id"> & { readonly operator: string };
type AccountsService = AccountsSession["service"];
type NamedCall = Pick<AuditCall, "operator" | "command"> & { readonly arguments: { readonly name: string } };
type Change<T> = (service: AccountsService, tokens: readonly OperatorRow[]) => Promise<T>;

const tokensOf = async ({ operators }: AccountsService, name: string): Promise<OperatorRow[]> =>
  (await operators.list(name)).map(({ user_id: operator, ...token }) => ({ operator, ...token }));

const { actor } = operatorFlags;
const named = { name: required(profileName) };

const list = defineCommand("operators list", {
  async run(_values, context) {
    const { decodeSegment } = await import("../../../storage/keys.ts");
    const rows = await withAccounts(context, async ({ service }) => {
      const segments = await collect(service.storage.children(["operators", "users"]));
      const names = segments.map((segment) => decodeSegment(segment)!); // A name is short: its key is never a digest.
      return (await Promise.all(names.sort().map((name) => tokensOf(service, name)))).flat();
    });
    await printTable(context, { table: "operators", rows });
  },
});

const add = defineCommand("operators add", {
  arguments: named,
  options: { role: required(oneOf(...ROLES)), expires: optional(expiry), actor },
  async run({ name, role, expires, actor: operator }, context) {
    const expires_at = expires?.(context.clock.now());
    const sent = { name, role, ...(expires_at !== undefined && { expires: toIso(expires_at) }) };
    const call = { operator, command: "operators add", arguments: sent };
    const { zone, ...issued } = await changed(context, call, async ({ operators, config }, tokens) => {
      const advice = `${name} has a valid token: \`anp operators revoke ${name}\` comes first.`;
      if (tokens.some(({ state }) => state === "active")) throw new CommandFailure(EXIT.failure, advice);
      return { zone: config.quota.timezone, ...(await operators.issue(name, { role, expires_at })) };
    });
    await printSecret(context, zone, issued);
  },
});

const revoke = defineCommand("operators revoke", {
  arguments: named,
  options: { actor, yes: toggle() },
  async run({ name, actor: operator, yes }, context) {
    await confirmChange(context, yes, `Revoke the tokens of the operator ${name}?`);
    const call = { operator, command: "operators revoke", arguments: { name } };
    const rows = await changed(context, call, async (service, tokens) => {
      if (tokens.length === 0) throw new CommandFailure(EXIT.notFound, `There is no operator ${name}.`);
      const ids = tokens.map(({ id }) => id);
      await service.operators.end(name, ids);
      return tokensOf(service, name);
    });
    await printTable(context, { table: "operators", rows });
  },
});

/** Changes the tokens of an operator. On the storage itself it is recorded here: the admin address records all calls. */
async function changed<T>(context: Context, call: NamedCall, change: Change<T>): Promise<T> {
  const run = async ({ service }: AccountsSession): Promise<T> => {
    const where = { call: service.ids.request(), role: null, address: null, user: null };
    const end = context.io.hosted ? undefined : await createAuditLog(service).begin({ ...call, ...where });
    try {
      const result = await change(service, await tokensOf(service, call.arguments.name));
      await end?.("exit 0");
      return result;
    } catch (error) {
      if (error instanceof CommandFailure) await end?.(`exit ${error.exit}`);
      throw error;
    }
  };
  return withAccounts(context, run, { ...(call.command === "operators add" && { create: true }) });
}

export const command = defineGroup("operators", { list, add, revoke });
