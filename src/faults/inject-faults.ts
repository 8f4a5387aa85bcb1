import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { once } from "node:events";
import { createSnapshotViews, type SnapshotViews } from "../news/snapshot/latest-snapshot.ts";
import { createService, type Service, type ServiceDeps } from "../service/service.ts";
import { printKey } from "../storage/documents.ts";
import { interceptStorage, type StorageCall } from "../storage/intercept-storage.ts";
import { CorruptionError, StorageError, type Storage } from "../storage/storage.ts";
import { faultText, type Fault, type FaultName } from "./fault-catalogue.ts";
import { modelConfig, type ModelConfig } from "../config/model-config.ts";
import { judgeReply } from "../assistant/grounding/judge-reply.ts";
import { NO_ANSWER } from "../assistant/model/model-prompt.ts";
import type { Passage } from "../assistant/passage.ts";
import { detectLanguage } from "../language/detect-language.ts";
import { sentencesOf } from "../language/sentences.ts";

const READS: ReadonlySet<StorageCall> = new Set(["get", "has", "getMany", "list"]);
/** The failing calls of each kind. Damage changes only values that exist: see below. */
const FAILING = { "read-error": ["read"], "write-error": ["write"], down: ["read", "write"], damage: [] as string[] };

/** The faults that are injected into a daemon, so that QA sees what users would. */
export class Faults {
  readonly texts: readonly string[];
  readonly #faults: ReadonlyMap<FaultName, { readonly fault: Fault; left: number }>;
  readonly #early: AsyncLocalStorage<true> | undefined; // Marks requests, for early faults only: it slows every promise.
  #isArmed = false;

  /** `faults` has at most one of each name. With `isEarly` they apply to requests before {@link Faults.arm}, too. */
  constructor(faults: readonly Fault[], isEarly = false) {
    this.#early = isEarly ? new AsyncLocalStorage() : undefined;
    this.texts = faults.map(faultText);
    this.#faults = new Map(faults.map((fault) => [fault.name, { fault, left: fault.times }]));
  }

  /** Creates a service whose dependencies fail as the faults say, once {@link Faults.arm} was called. */
  async open(deps: ServiceDeps): Promise<Service> {
    const { storage, config } = deps;
    const isFaulty = (...names: FaultName[]): boolean => names.some((name) => this.#faults.has(name));
    const service = await createService({
      ...deps,
      ...(isFaulty("storage", "events") && { storage: this.#storage(storage) }),
      ...(isFaulty("hot-topics") && { newsViews: this.#views }),
      ...(isFaulty("model") && {
        config: { ...config, model: config.model ?? FAILING_MODEL },
        modelFetch: failingFetch(() => this.#trigger("model")?.kind, config.model ? fetch : scriptedFetch),
      }),
    });
    return { ...service, run: this.#run(service) };
  }

  /** Warms the service up, then activates the faults everywhere: a daemon that does not start would show nothing. */
  async arm(service: Service): Promise<void> {
    await service.warm(); // Warming up would use up a fault that is limited by `times`.
    this.#isArmed = true;
  }

  #trigger<N extends FaultName>(name: N): Extract<Fault, { name: N }> | undefined {
    const one = this.#faults.get(name);
    if (!(this.#isArmed || this.#early?.getStore())) return undefined;
    if (one === undefined || one.left <= 0) return undefined;
    one.left--;
    return one.fault as Extract<Fault, { name: N }>;
  }

  #storage(storage: Storage): Storage {
    const { kind } = (this.#faults.get("storage")?.fault ?? {}) as { kind?: keyof typeof FAILING };
    return interceptStorage(storage, async (call, key, run) => {
      const access = READS.has(call) ? "read" : "write";
      const printed = printKey(key);
      const isEvent = access === "write" && printed.startsWith("events/") && this.#trigger("events") !== undefined;
      const isHit = isEvent || (kind && FAILING[kind].includes(access) && this.#trigger("storage"));
      if (isHit) throw new StorageError(`Cannot ${access} ${printed}: injected fault`);
      const found = await run();
      // An absent value is not damaged: otherwise a reader would search for the end of a log forever.
      const isValue = (call === "get" || call === "getMany") && [found].flat().some((text) => text !== undefined);
      if (isValue && kind === "damage" && this.#trigger("storage"))
        throw new CorruptionError(printed, "injected fault");
      return found;
    });
  }

  readonly #views = (...parts: Parameters<typeof createSnapshotViews>): SnapshotViews => {
    const views = createSnapshotViews(...parts);
    const hotTopics: SnapshotViews["hotTopics"] = (...query) => {
      if (this.#trigger("hot-topics") !== undefined) throw new Error("hot topics fail: injected fault");
      return views.hotTopics(...query);
    };
    return { ...views, hotTopics };
  };

  #run(service: Service): Service["run"] {
    return (id, call, raw) => {
      const answer = async () => {
        const slow = this.#trigger("answers");
        if (slow !== undefined) await wait(slow.ms);
        if (id === "postTradeReward" && this.#trigger("trade-reward") !== undefined)
          throw new Error("the trade reward fails: injected fault");
        return service.run(id, call, raw);
      };
      return this.#isArmed || this.#early === undefined ? answer() : this.#early.run(true, answer);
    };
  }
}

const UNREACHABLE = { base_url: "http://model.invalid/v1", model: "failing-model", timeout_ms: 1000, max_retries: 0 };

/** The model for a configuration without one. Its timeout is short, so that a failure does not take long. */
const FAILING_MODEL: ModelConfig = modelConfig.parse(UNREACHABLE);

type ModelFailure = Extract<Fault, { name: "model" }>["kind"];

const FAILURES: Readonly<Record<ModelFailure, (init?: RequestInit) => Promise<Response>>> = {
  timeout: (init) => untilAborted(init?.signal ?? new AbortController().signal),
  error: () => Promise.resolve(Response.json({ error: { message: "injected fault" } }, { status: 500 })),
  refused: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("injected fault") })),
  empty: () => Promise.resolve(completion("")),
};

/** A fetch that fails as `failure` says; without a failure, `working` answers. */
function failingFetch(failure: () => ModelFailure | undefined, working: typeof fetch): typeof fetch {
  return (input, init) => {
    const how = failure();
    return how === undefined ? working(input, init) : FAILURES[how](init);
  };
}

/** The endpoint of {@link FAILING_MODEL} once its faults are used up: it quotes a sentence that passes the checks. */
const scriptedFetch: typeof fetch = (_input, init) => {
  const { messages } = JSON.parse(init?.body as string) as { messages: { content: string }[] };
  const { content } = messages.findLast((message) => message.content.startsWith("Passages:"))!;
  const excerpts = (content.match(/^\{.*$/gm) ?? []).map((line) => JSON.parse(line) as Passage);
  const { question } = JSON.parse(content.slice(content.lastIndexOf("{"))) as { question: string };
  const asked = { question, lang: detectLanguage(question), wide: false, instructions: messages[0]!.content };
  const quotes = excerpts.flatMap(({ text }, at) => sentencesOf(text).map((sentence) => `${sentence} [${at + 1}]`));
  const isGood = (reply: string): boolean => judgeReply({ ...asked, excerpts, reply }) === "good";
  return Promise.resolve(completion(quotes.find(isGood) ?? NO_ANSWER));
};

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason as Error;
}

function completion(content: string): Response {
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const head = { id: "completion", object: "chat.completion", created: 0, model: FAILING_MODEL.model };
  return Response.json({ ...head, choices: [choice], usage });
}
