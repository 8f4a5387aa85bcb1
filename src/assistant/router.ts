import { train } from "./classifier/classifier.ts";
import type { Classifier, Example } from "./classifier/classifier.ts";
import { isElliptical, asksResearch } from "./routing-rules.ts";
import type { RouteSeeds } from "./intents/seeds.ts";
import { SEEDS } from "./routing.ts";
import type { Route, Routing } from "./routing.ts";
import { languageOf } from "./text/fold.ts";

/** Decides where questions go. */
export interface Router {
  route(question: string, context: { readonly previous: string | undefined; readonly page_context?: string }): Routing;
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

/** Below this confidence a question goes to `out_of_scope`. */
const LEAST_CONFIDENCE = 0.3;

/** A router that learns from the examples; their labels are `route/sub_intent`. Training waits for the first question. */
export function createRouter(examples: readonly Example[] = seedExamples()): Router {
  let classifier: Classifier | undefined;
  return {
    route(question, { previous }) {
      classifier ??= train(examples, { minDocuments: 1 });
      const lang = languageOf(question);
      let best = classifier.classify(question);
      if (previous !== undefined && isElliptical(question)) {
        const joined = classifier.classify(`${previous} ${question}`);
        if (joined.confidence > best.confidence) best = joined;
      }
      const research = asksResearch(question);
      if (best.confidence < LEAST_CONFIDENCE) {
        return { route: "out_of_scope", sub_intent: "general", lang, confidence: 1 - best.confidence, research };
      }
      return { ...fromLabel(best.label), lang, confidence: best.confidence, research };
    },
  };
}
