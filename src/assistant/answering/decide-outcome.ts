import MODEL from "./outcome-model.json" with { type: "json" };
import type { AnswerOutcome } from "../answer.ts";
import { featuresOf, type Reading } from "../retrieval/evidence-features.ts";
import type { Findings } from "../retrieval/find-evidence.ts";

type Features = ReturnType<typeof featuresOf>;
interface Decision {
  readonly outcome: AnswerOutcome;
  readonly probability: number; // That the quoted answers the question.
  readonly isQuoted?: boolean; // Whether titles that are offered come with the part of each that may answer.
  readonly features?: Features;
}

/** Logistic models of whether the quoted answers the question, and whether any content does, fitted on the help
 * centers of four companies and ten small ones, with and without the articles that answer, and on published sets
 * (`npm run eval -- outcome-model`). */
const MODELS = MODEL as {
  readonly intercepts: readonly number[];
  readonly weights: Readonly<Record<keyof Features, readonly number[]>>;
};

/** Least probability that there is an answer for one to be shown, and that what is quoted is right for it to be charged;
 * and that there is one for what may be it to be quoted below an offered title. */
export const LEAST = { shown: 0.55, answered: 0.87, quoted: 0.2 };
const OFFERED = { usual: 0.04, outOfScope: 0.25, near: 1.3 };

/** What becomes of a question by the evidence, and the estimated probability, 0 to 1, that the quoted answers it. */
export function decideOutcome({ evidence: [best] }: Findings, reading: Reading): Decision {
  if (best === undefined) return { outcome: "declined", probability: 0 };
  const features = featuresOf(best, reading);
  if (best.article.isNamed === true) return { outcome: "answered", probability: 1, features };
  const probabilityOf = (model: 0 | 1): number => {
    const logit = Object.entries(features).reduce((sum, [name, value]) => {
      return sum + MODELS.weights[name as keyof Features][model]! * value;
    }, 0);
    return 1 / (1 + Math.exp(-logit - MODELS.intercepts[model]!));
  };
  const [probability, answerable] = [probabilityOf(0), probabilityOf(1)];
  if (answerable >= LEAST.shown)
    return { outcome: probability >= LEAST.answered ? "answered" : "unsure", probability, features };
  const isOutside = features.surelyOutOfScope === 1;
  const isNear = !isOutside && (best.article.near ?? 0) >= OFFERED.near;
  const isLike = isNear || best.article.score >= (isOutside ? OFFERED.outOfScope : OFFERED.usual);
  return { outcome: isLike ? "offered" : "declined", probability, isQuoted: answerable >= LEAST.quoted, features };
}
