import { setTimeout as wait } from "node:timers/promises";
import type { Projection } from "../news/snapshot/projection.ts";
import { SnapshotViews } from "../news/snapshot/snapshot-views.ts";
import { createService, type Service, type ServiceDeps } from "../service/service.ts";
import { faultText, type Fault, type FaultName } from "./fault-catalogue.ts";
import { failingFetch, FAILING_MODEL } from "./faulty-model.ts";
import { failingStorage } from "./faulty-storage.ts";

/** Faults that were asked for, so that QA sees what users would. */
export interface Faults {
  /** As they are typed. */
  readonly texts: readonly string[];
  /** Puts a service together on dependencies that fail as asked, once {@link Faults.arm} was called. */
  readonly open: (deps: ServiceDeps) => Promise<Service>;
  /** Warms the service up, and lets the faults strike from then on: a start that fails would show nothing. */
  readonly arm: (service: Service) => Promise<void>;
}

/** @param faults checked ones: of each name one at most */
export function createFaults(faults: readonly Fault[]): Faults {
  const left = new Map(faults.map((fault) => [fault.name, fault.times]));
  let armed = false;

  /** The fault of that name, if it is to strike now. */
  function strike<N extends FaultName>(name: N): Extract<Fault, { name: N }> | undefined {
    const times = left.get(name) ?? 0;
    if (!armed || times <= 0) return undefined;
    left.set(name, times - 1);
    return faults.find((fault): fault is Extract<Fault, { name: N }> => fault.name === name);
  }

  const asked = (name: FaultName): boolean => faults.some((fault) => fault.name === name);
  const storageFails = { "read-error": ["read"], "write-error": ["write"], down: ["read", "write"], damage: ["read"] };

  return {
    texts: faults.map(faultText),
    async arm(service) {
      // Warming up would use up a fault that strikes only some times.
      await service.warm();
      armed = true;
    },
    async open(deps) {
      const storageFault = faults.find((fault) => fault.name === "storage");
      const storage = failingStorage(deps.storage, (access, key) => {
        if (access === "write" && key.startsWith("events/") && strike("events") !== undefined) return "error";
        if (storageFault === undefined || !storageFails[storageFault.kind].includes(access)) return undefined;
        return strike("storage") === undefined ? undefined : storageFault.kind === "damage" ? "damage" : "error";
      });
      const service = await createService({
        ...deps,
        ...(asked("storage") || asked("events") ? { storage } : {}),
        ...(asked("hot-topics") ? { newsViews: failingViews } : {}),
        ...(asked("model")
          ? {
              config: { ...deps.config, model: deps.config.model ?? FAILING_MODEL },
              modelFetch: failingFetch(() => strike("model")?.kind),
            }
          : {}),
      });
      return asked("trade-reward") || asked("answers") ? { ...service, run: failingRun(service) } : service;
    },
  };

  function failingViews(projection: Projection): SnapshotViews {
    const views = new SnapshotViews(projection);
    const headlines = views.headlines.bind(views);
    views.headlines = (...query) => {
      if (strike("hot-topics") !== undefined) throw new Error("hot topics fail: a fault was asked for");
      return headlines(...query);
    };
    return views;
  }

  function failingRun(service: Service): Service["run"] {
    return async (id, call, raw) => {
      const slow = strike("answers");
      if (slow !== undefined) await wait(slow.ms);
      if (id === "postTradeReward" && strike("trade-reward") !== undefined) {
        throw new Error("the trade reward fails: a fault was asked for");
      }
      return service.run(id, call, raw);
    };
  }
}
