import { readFileSync } from "node:fs";
import { assetsInQuestion, isAssetName } from "../../language/assets.ts";
import { createClassifier, decodeTrained, encodeTrained, train } from "./classifier/classifier.ts";
import type { Classification, Classifier, Example, Trained } from "./classifier/classifier.ts";
import { conceptsIn, isInDomain } from "./routing-concepts.ts";
import type { RouteSeeds } from "./seeds/seed.ts";
import { asksAdvice, asksResearch, isElliptical, withoutCourtesy } from "./routing-rules.ts";
import { isInScope } from "./scope.ts";
import { SEEDS } from "./routing.ts";
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

/** Assigns a route to each question. */
export interface Router {
  route(question: string, context: RouteContext): Routing;
}

/** A label of the router: route and sub-intent. */
export function toLabel(route: Route, subIntent: string): string {
  return `${route}/${subIntent}`;
}

function fromLabel(label: string): { route: Route; sub_intent: string } {
  const [route = "", sub_intent = ""] = label.split("/");
  if (!(route in SEEDS)) throw new Error(`Unknown route in the label ${JSON.stringify(label)}.`);
  return { route: route as Route, sub_intent };
}

/** The bundled seed utterances as examples. */
export function seedExamples(): Example[] {
  const routes: [string, RouteSeeds][] = Object.entries(SEEDS);
  return routes.flatMap(([route, subIntents]) =>
    Object.entries(subIntents).flatMap(([subIntent, { zh, en }]) =>
      [...zh.split("\n"), ...en.split("\n")].map((text) => ({ text, label: toLabel(route as Route, subIntent) })),
    ),
  );
}

/** Most characters of small talk. */
const SMALL_TALK_LENGTH = { zh: 8, en: 24 };
/** From this confidence on, a follow-up is classified by itself. */
const CONFIDENT = 0.9;

const OUT_OF_SCOPE: Classification = { label: toLabel("out_of_scope", "general"), confidence: 0.5, ranked: [] };

/** The letters and digits of a text, folded: equal for a seed and the same question with other punctuation. */
function canonical(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

const annotate = conceptsIn;

/** Trained by the build and kept beside the bundle: training takes longer than the rest of a start. */
export const TRAINED_FILE = "router.trained";

/** The bytes of `TRAINED_FILE`: the model trained on the bundled examples. */
export function trainedRouter(): Uint8Array {
  return encodeTrained(train(seedExamples(), { annotate }));
}

/** The model trained by the build; undefined where this file is not bundled. */
function readTrained(): Trained | undefined {
  try {
    return decodeTrained(readFileSync(new URL(TRAINED_FILE, import.meta.url)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * A router trained on the examples, the bundled ones by default; their labels are `route/sub_intent`. Training waits for
 * the first question.
 */
export function createRouter(others?: readonly Example[]): Router {
  let learned: { classifier: Classifier; known: ReadonlyMap<string, string> } | undefined;
  function learn(): NonNullable<typeof learned> {
    const examples = others ?? seedExamples();
    const built = others === undefined ? readTrained() : undefined;
    return {
      classifier: createClassifier(built ?? train(examples, { annotate }), annotate),
      known: new Map(examples.map(({ text, label }) => [canonical(text), label])),
    };
  }

  function classify(question: string, { previous, page_context }: RouteContext): Classification {
    const { classifier, known } = (learned ??= learn());
    const label = known.get(canonical(question));
    if (label !== undefined) return { label, confidence: 1, ranked: [] };
    if (isAssetName(question)) return { label: toLabel("news", "symbol"), confidence: CONFIDENT, ranked: [] };
    if (asksAdvice(question)) return { label: toLabel("out_of_scope", "investment_advice"), confidence: 1, ranked: [] };
    const core = withoutCourtesy(question);
    const best = classifier.classify(core);
    if (previous !== undefined && best.confidence < CONFIDENT && isElliptical(question)) {
      const joined = classifier.classify(`${withoutCourtesy(previous)} ${core}`);
      if (isInScope(joined.confidence, true)) return joined;
    }
    // Small talk is short; a longer question that only resembles it ("can you add 5 and 89") is something else.
    const talk =
      best.label.startsWith("small_talk/") &&
      core.length <= (hasHan(core) ? SMALL_TALK_LENGTH.zh : SMALL_TALK_LENGTH.en);
    if (isInDomain(core) || talk) return isInScope(best.confidence, true) ? best : OUT_OF_SCOPE;
    if (page_context !== undefined && isInDomain(page_context)) {
      const placed = classifier.classify(`${page_context} ${core}`);
      if (isInScope(placed.confidence, false)) return placed;
    }
    return isInScope(best.confidence, false) ? best : OUT_OF_SCOPE;
  }

  return {
    route(question, context) {
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
    },
  };
}
