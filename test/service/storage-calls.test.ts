import { expect, it } from "vitest";
import type { RawInput } from "../../src/contract/validation/validate-request.ts";
import type { OperationId } from "../../src/contract/endpoints.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openFixtureService } from "../support/service.ts";
import { watchedStorage } from "../support/watched-storage.ts";

it("asks the storage no more than it must", async () => {
  const storage = watchedStorage(await openStorage("memory:"), () => "pass");
  const { service } = await openFixtureService({ storage });

  /** The calls of one operation, without the event log's and those that a cache saves for a while. */
  async function callsOf(id: OperationId, input: RawInput, idempotency_key?: string): Promise<string> {
    const before = storage.calls.length;
    const call = { request_id: "r", user: "carol", ...(idempotency_key !== undefined && { idempotency_key }) };
    await service.run(id, call, input);
    await service.settled();
    const made = storage.calls
      .slice(before)
      .filter(({ key }) => !/^(events|news)\/|^users\/carol\/(profile|subscription)$/.test(key));
    return made
      .map(({ verb, key }) => `${verb} ${key.split("/").slice(0, 3).join("/")}`.replace(/\d{6,}/, "N"))
      .join(", ");
  }

  const fee = { question: "提现手续费是多少？" };
  await callsOf("sendChat", { body: fee });
  await callsOf("exchangePoints", { body: { token_amount: 1 } });
  expect({
    chat: await callsOf("sendChat", { body: fee }),
    keyed: await callsOf("sendChat", { body: fee }, "k"),
    repeated: await callsOf("sendChat", { body: fee }, "k"),
    session: await callsOf("sendChat", { body: { ...fee, session_id: 7 } }),
    account: await callsOf("sendChat", { body: { question: "我的积分明细" } }),
    me: await callsOf("getMe", {}),
    page: await callsOf("getLedger", { query: {} }),
    exchange: await callsOf("exchangePoints", { body: { token_amount: 1 } }),
  }).toMatchInlineSnapshot(`
    {
      "account": "has users/carol/ledger, create messages/N, create users/carol/ledger, create users/carol/sessions",
      "chat": "has users/carol/ledger, create messages/N, create users/carol/ledger, create users/carol/sessions",
      "exchange": "create users/carol/ledger",
      "keyed": "has users/carol/ledger, get users/carol/operations, get users/carol/operations, create messages/N, create users/carol/ledger, create users/carol/operations, create users/carol/sessions",
      "me": "has users/carol/ledger",
      "page": "has users/carol/ledger",
      "repeated": "has users/carol/ledger, confirm users/carol/ledger, get messages/N",
      "session": "has users/carol/ledger, getMany users/carol/sessions, has users/carol/sessions, getMany users/carol/sessions, has users/carol/ledger, create messages/N, create users/carol/ledger, getMany users/carol/sessions, has users/carol/sessions, getMany users/carol/sessions, create users/carol/sessions",
    }
  `);
});
