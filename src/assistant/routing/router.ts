import { readFileSync } from "node:fs";
import { assetsInQuestion, isAssetName } from "../../language/assets.ts";
import { createClassifier, decodeTrained, encodeTrained, train } from "./classifier/classifier.ts";
import type { Classification, Classifier, Example, Trained } from "./classifier/classifier.ts";
import { conceptsIn, speaksOfTrade } from "./routing-concepts.ts";
import type { RouteSeeds } from "./seeds/seed.ts";
import { asksAdvice, asksResearch, isElliptical, withoutCourtesy } from "./routing-rules.ts";
import { SEEDS } from "./routing.ts";
import type { Route, Routing } from "./routing.ts";
import { detectLanguage, hasHan } from "../../language/detect-language.ts";
import { fold } from "../../language/fold.ts";

/** What surrounds a question. */
export interface RouteContext {
  /** The question before. */
  readonly previous: string | undefined;
  /** Scene the user is in. */
  readonly page_context: string | undefined;
}

/** Decides where questions go. */
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

/** Below the first, a question is out of scope; below the second, when nothing in it is of the trade. */
const LEAST_CONFIDENCE = { any: 0.35, offTrade: 0.75 };
/** Characters of small talk at most. */
const BRIEF = { zh: 8, en: 24 };
/** A follow-up that the classifier is this sure of stands on its own. */
const SURE = 0.9;

const OUT: Classification = { label: toLabel("out_of_scope", "general"), confidence: 0.5, ranked: [] };

/** A form in which a seed and a question that say the same are equal. */
function canonical(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

const annotate = conceptsIn;

/** What a build keeps beside the bundled program: training takes longer than all else that a start does. */
export const TRAINED_FILE = "router.trained";

/** The bytes of `TRAINED_FILE`: what is learned from the bundled examples. */
export function trainedRouter(): Uint8Array {
  return encodeTrained(train(seedExamples(), { annotate }));
}

/** What the build learned; undefined where this file is not bundled. */
function builtTrained(): Trained | undefined {
  try {
    return decodeTrained(readFileSync(new URL(TRAINED_FILE, import.meta.url)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * A router that learns from the examples, the bundled ones unless others are given; their labels are
 * `route/sub_intent`. Learning waits for the first question.
 */
export function createRouter(others?: readonly Example[]): Router {
  let learned: { classifier: Classifier; known: ReadonlyMap<string, string> } | undefined;
  function learn(): NonNullable<typeof learned> {
    const examples = others ?? seedExamples();
    const built = others === undefined ? builtTrained() : undefined;
    return {
      classifier: createClassifier(built ?? train(examples, { annotate }), annotate),
      known: new Map(examples.map(({ text, label }) => [canonical(text), label])),
    };
  }

  function classify(question: string, { previous, page_context }: RouteContext): Classification {
    const { classifier, known } = (learned ??= learn());
    const label = known.get(canonical(question));
    if (label !== undefined) return { label, confidence: 1, ranked: [] };
    if (isAssetName(question)) return { label: toLabel("news", "symbol"), confidence: SURE, ranked: [] };
    if (asksAdvice(question)) return { label: toLabel("out_of_scope", "investment_advice"), confidence: 1, ranked: [] };
    const core = withoutCourtesy(question);
    const best = classifier.classify(core);
    if (previous !== undefined && best.confidence < SURE && isElliptical(question)) {
      const joined = classifier.classify(`${withoutCourtesy(previous)} ${core}`);
      if (joined.confidence > LEAST_CONFIDENCE.any) return joined;
    }
    // Small talk is short; what is longer and only sounds like it ("can you add 5 and 89") is something else.
    const talk = best.label.startsWith("small_talk/") && core.length <= (hasHan(core) ? BRIEF.zh : BRIEF.en);
    if (speaksOfTrade(core) || talk) return best.confidence < LEAST_CONFIDENCE.any ? OUT : best;
    if (page_context !== undefined && speaksOfTrade(page_context)) {
      const placed = classifier.classify(`${page_context} ${core}`);
      if (placed.confidence >= LEAST_CONFIDENCE.offTrade) return placed;
    }
    return best.confidence < LEAST_CONFIDENCE.offTrade ? OUT : best;
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
