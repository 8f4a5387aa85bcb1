import { readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { readRows } from "../../runtime/data-rows.ts";
import { assetsInQuestion, isAssetName } from "../../language/assets.ts";
import { createClassifier, train } from "./classifier/classifier.ts";
import type { Classification, Classifier, Example, Trained } from "./classifier/classifier.ts";
import { conceptsIn, isInDomain } from "./routing-concepts.ts";
import { asksAdvice, asksResearch, isElliptical, withoutCourtesy } from "./routing-rules.ts";
import { ROUTES } from "./routing.ts";
import type { Route, Routing } from "./routing.ts";
import { detectLanguage, hasHan } from "../../language/detect-language.ts";
import { fold } from "../../language/fold.ts";

/** Context of a question. */
export interface RouteContext {
  /** The question before. */
  readonly previous: string | undefined;
  /** Scene of the page that the user is on. */
  readonly page_context: string | undefined;
}

function fromLabel(label: string): { route: Route; sub_intent: string } {
  const [name, sub_intent = ""] = label.split("/");
  const route = ROUTES.find((known) => known === name);
  if (route === undefined) throw new Error(`Unknown route in the label ${JSON.stringify(label)}.`);
  return { route, sub_intent };
}

/** The bundled seed utterances as examples. */
export function seedExamples(): Example[] {
  const rows = readRows(new URL("data/seeds.txt", import.meta.url));
  return rows.map(([[label = ""] = [], text = []]) => ({ text: text.join(", "), label }));
}

/** Most characters of small talk. */
const SMALL_TALK_LENGTH = { zh: 8, en: 24 };
/** Least confidence of the classifier; more is asked of a question that names no concept of the domain. */
const LEAST_CONFIDENCE = { inDomain: 0.35, offDomain: 0.75 };
/** From this confidence on, a follow-up is classified by itself. */
const CONFIDENT = 0.9;

const OUT_OF_SCOPE: Classification = { label: "out_of_scope/general", confidence: 0.5, ranked: [] };

/** The letters and digits of a text, folded: equal for a seed and the same question with other punctuation. */
function canonical(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

const annotate = conceptsIn;

/** Trained by the build and kept beside the bundle: training takes longer than the rest of a start. */
export const TRAINED_FILE = "router.trained";

/** The bytes of `TRAINED_FILE`: the model trained on the bundled examples. */
export function trainedRouter(): Uint8Array {
  return serialize(train(seedExamples(), { annotate }));
}

/** The model trained by the build; undefined where this file is not bundled. */
function readTrained(): Trained | undefined {
  try {
    return deserialize(readFileSync(new URL(TRAINED_FILE, import.meta.url))) as Trained;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** What a router knows: the trained classifier, and the label of each example. */
interface Learned {
  readonly classifier: Classifier;
  readonly known: ReadonlyMap<string, string>;
}

function learn(examples: readonly Example[], built?: Trained): Learned {
  return {
    classifier: createClassifier(built ?? train(examples, { annotate }), annotate),
    known: new Map(examples.map(({ text, label }) => [canonical(text), label])),
  };
}

/** What was learned from the bundled examples, which are the same for every router of the process. */
let bundled: Learned | undefined;

/** Assigns a route to each question. */
export type Router = (question: string, context: RouteContext) => Routing;

/**
 * A router trained on the examples, the bundled ones by default; their labels are `route/sub_intent`. Training waits for
 * the first question.
 */
export function createRouter(others?: readonly Example[]): Router {
  let learned: Learned | undefined;

  function classify(question: string, { previous, page_context }: RouteContext): Classification {
    learned ??= others === undefined ? (bundled ??= learn(seedExamples(), readTrained())) : learn(others);
    const { classifier, known } = learned;
    const label = known.get(canonical(question));
    if (label !== undefined) return { label, confidence: 1, ranked: [] };
    if (isAssetName(question)) return { label: "news/symbol", confidence: CONFIDENT, ranked: [] };
    if (asksAdvice(question)) return { label: "out_of_scope/investment_advice", confidence: 1, ranked: [] };
    const core = withoutCourtesy(question);
    const best = classifier.classify(core);
    if (previous !== undefined && best.confidence < CONFIDENT && isElliptical(question)) {
      const joined = classifier.classify(`${withoutCourtesy(previous)} ${core}`);
      if (joined.confidence >= LEAST_CONFIDENCE.inDomain) return joined;
    }
    // Small talk is short; a longer question that only resembles it ("can you add 5 and 89") is something else.
    const talk =
      best.label.startsWith("small_talk/") &&
      core.length <= (hasHan(core) ? SMALL_TALK_LENGTH.zh : SMALL_TALK_LENGTH.en);
    if (isInDomain(core) || talk) return best.confidence >= LEAST_CONFIDENCE.inDomain ? best : OUT_OF_SCOPE;
    if (page_context !== undefined && isInDomain(page_context)) {
      const placed = classifier.classify(`${page_context} ${core}`);
      if (placed.confidence >= LEAST_CONFIDENCE.offDomain) return placed;
    }
    return best.confidence >= LEAST_CONFIDENCE.offDomain ? best : OUT_OF_SCOPE;
  }

  return (question, context) => {
    const { label, confidence } = classify(question, context);
    const { route, sub_intent } = fromLabel(label);
    const aboutAsset = route === "news" && sub_intent === "latest" && assetsInQuestion(question).size > 0;
    return {
      route,
      sub_intent: aboutAsset ? "symbol" : sub_intent,
      lang: detectLanguage(question),
      confidence,
      research: asksResearch(question),
    };
  };
}
