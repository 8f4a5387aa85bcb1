/** Codes of answers that leave open whether the request took effect, or say that it did not but may later. */
export const OPEN_CODES = [429, 500, 503];

/** Asks a service in this process, as a client asks a server. */
export async function askService(service, asked) {
  try {
    const { data, replayed } = await run(service, asked);
    return { status: "done", data, replayed: replayed === true };
  } catch (error) {
    if (error.name === "AnpError" && !OPEN_CODES.includes(error.code)) return { status: "refused", code: error.code };
    return { status: "failed", message: `${error.name}: ${error.message}` };
  }
}

async function run(service, { user, request_id, key, request }) {
  const { kind, ...body } = request;
  const repeatable = key === undefined ? {} : { idempotency_key: key };
  const call = { user, request_id, ...repeatable };
  switch (kind) {
    case "chat":
      return service.run("sendChat", call, { query: {}, body });
    case "exchange":
      return service.run("exchangePoints", call, { query: {}, body });
    case "trade_reward":
      return service.run("postTradeReward", call, { query: {}, body });
    case "adjust": {
      const { entry, replayed } = await service.adjust({ user, actor: "bench", request_id, ...body, ...repeatable });
      return { data: { entry: entry.id, delta: entry.delta, balance: entry.account.balance }, replayed };
    }
    case "points":
      return service.run("getPoints", call, { query: {}, body: undefined });
    case "ledger":
      return service.run("getLedger", call, { query: { page: 1, page_size: 5 }, body: undefined });
    default:
      throw new Error(`unknown request ${kind}`);
  }
}
