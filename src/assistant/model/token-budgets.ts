import { z } from "zod";
import type { ModelConfig } from "../../config/model-config.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { Logger } from "../../runtime/logger.ts";
import { printKey, readDocument, writeDocument } from "../../storage/documents.ts";
import type { Key, Storage } from "../../storage/storage.ts";

/** Tokens spent in a quota day, by one user or by all users. */
export const tokenCount = z.strictObject({ day: z.string(), tokens: z.int().min(0) });
const OF_ALL: Key = ["model", "tokens"];
const MOST = 1e12; // Maximum of a day's count, whatever a provider reports.

export type Tokens = { readonly prompt: number; readonly reply: number };
type Budget = keyof ModelConfig["budget"];

/** Reserves the maximum tokens of a call; the returned function replaces the reservation with the tokens spent.
 * @throws AnpError 1007 when the maximum exceeds what is left of a budget */
export type TokenMeter = (most: number) => Promise<(spent: Tokens) => Promise<void>>;
/** Observes the tokens that the models of a process spend. */
export type TokenObserver = { tokensSpent(tokens: Tokens): void; budgetRefused(budget: Budget): void };
type Rules = { budget: ModelConfig["budget"]; dayOf: (now: number, last: string) => string };
type BudgetDeps = Rules & { storage: Storage; clock: Clock; logger: Logger; observer?: TokenObserver | undefined };
export type TokenBudgets = ReturnType<typeof createTokenBudgets>;

/** Token budgets. The maximum of a call is stored before the call, so that no call exceeds a budget unless a provider
 * reports more, and a killed process has counted too much rather than too little. Daemons on one storage share the
 * counts; if two write a count at the same moment, one of the two calls may not be counted.
 * @param deps.dayOf the quota day of an instant, given the last counted day */
export function createTokenBudgets(deps: BudgetDeps) {
  const { budget, storage, observer } = deps;
  const inTurn = createKeyedMutex();

  async function read(key: Key): Promise<z.infer<typeof tokenCount>> {
    const count = await readDocument(storage, key, tokenCount);
    const day = deps.dayOf(deps.clock.now(), count?.day ?? "");
    return count?.day === day ? count : { day, tokens: 0 };
  }

  const add = (key: Key, more: number, limit = Infinity): Promise<boolean> =>
    inTurn(printKey(key), async () => {
      const count = await read(key);
      const tokens = Math.min(MOST, Math.max(0, count.tokens + more));
      if (tokens <= limit) await writeDocument(storage, key, { ...count, tokens });
      return tokens <= limit;
    });

  const addAll = async (keys: readonly Key[], more: number): Promise<void> => {
    for (const key of keys) await add(key, more);
  };

  function refuse(name: Budget): never {
    observer?.budgetRefused(name);
    throw new AnpError(1007, undefined, { cause: new Error(`model.budget.${name} is used up`) });
  }

  return {
    meterOf(user: string): TokenMeter {
      let inAnswer = 0;
      return async (most) => {
        if (inAnswer + most > (budget.answer ?? Infinity)) refuse("answer");
        const counted: Key[] = [];
        for (const name of ["user_day", "day"] as const) {
          const key: Key = name === "day" ? OF_ALL : ["users", user, "model-tokens"];
          if (budget[name] === undefined) continue;
          const isLeft = await add(key, most, budget[name]);
          if (!isLeft) await addAll(counted, -most);
          if (!isLeft) refuse(name);
          counted.push(key);
        }
        return async (spent) => {
          inAnswer += spent.prompt + spent.reply;
          observer?.tokensSpent(spent);
          await addAll(counted, spent.prompt + spent.reply - most).catch((error: unknown) => {
            deps.logger.error({ err: error, spent }, "tokens of the model could not be counted");
          });
        };
      };
    },
    /** The tokens of all users in the current quota day, and the budget; undefined without a budget. */
    ofDay: async () => (budget.day === undefined ? undefined : { budget: budget.day, ...(await read(OF_ALL)) }),
  };
}
