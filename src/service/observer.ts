import type { ModelGateway } from "../assistant/model/model-gateway.ts";
import type { JobObserver } from "../compute/job-runner.ts";
import { AnpError } from "../contract/errors.ts";
import type { LedgerObserver } from "../ledger/user-ledger.ts";
import type { News, RefreshMode } from "../news/news.ts";
import type { StorageObserver } from "../storage/observe-storage.ts";

/** How a call of the model ended. */
export type ModelOutcome = "answered" | "no_answer" | "failed" | "abandoned";

/** Observes a service, for metrics and logs. Every call is cheap and never throws. */
export interface ServiceObserver extends StorageObserver, LedgerObserver, JobObserver {
  /** A call of the model ended; `abandoned` when its caller had disconnected. */
  modelCalled(outcome: ModelOutcome, ms: number): void;
  /** A refresh of the news ended; a failing source alone does not make it fail. */
  refreshed(mode: RefreshMode, ok: boolean, ms: number): void;
}

/** The same model, its calls reported to the observer. */
export function observeModel(model: ModelGateway, observer: ServiceObserver): ModelGateway {
  return {
    ...model,
    async generate(request, check) {
      const started = performance.now();
      const ended = (outcome: ModelOutcome): void => {
        observer.modelCalled(outcome, performance.now() - started);
      };
      try {
        const answer = await model.generate(request, check);
        ended(answer === null ? "no_answer" : "answered");
        return answer;
      } catch (error) {
        ended(error instanceof AnpError ? "failed" : "abandoned");
        throw error;
      }
    },
  };
}

/** The same news room, its refreshes reported to the observer. */
export function observeNews(news: News, observer: ServiceObserver): News {
  async function reported<T>(mode: RefreshMode, refresh: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const result = await refresh();
      // What another process has refreshed is its own to report.
      if (result !== undefined) observer.refreshed(mode, true, performance.now() - started);
      return result;
    } catch (error) {
      observer.refreshed(mode, false, performance.now() - started);
      throw error;
    }
  }

  return {
    ...news,
    refresh: (mode, notWithin_ms) => reported(mode, () => news.refresh(mode, notWithin_ms)),
    refreshAfter: (after, mode) => reported(mode, () => news.refreshAfter(after, mode)),
  };
}
