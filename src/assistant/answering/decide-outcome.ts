import MODEL from "./outcome-model.json" with { type: "json" };
import type { AnswerOutcome } from "../answer.ts";
import { featuresOf, type Reading } from "../retrieval/evidence-features.ts";
import type { Findings } from "../retrieval/find-evidence.ts";

type Features = ReturnType<typeof featuresOf>;
interface Decision {
  readonly outcome: AnswerOutcome;
  readonly probability: number; // Probability that the quotation answers the question.
  readonly isQuoted?: boolean; // Whether each offered title comes with a quotation that may answer.
  readonly features?: Features;
}

/** A complete binary decision tree: per split a feature and a threshold, below which a value takes the first child; then
 * the leaves. The children of the split `n` are `2n + 1` and `2n + 2`. */
export type DecisionTree = readonly number[];

/** Two models: whether the quotation answers the question, and whether any content does. Each is a logistic regression
 * with trees that add to its logit. Fitted on the help centers of four companies and 24 small ones, with and without the
 * articles that answer, on published sets, and on unrelated questions without answer (`npm run eval -- outcome-model`). */
const { intercepts: INTERCEPTS } = MODEL;
const WEIGHTS: Readonly<Record<keyof Features, readonly number[]>> = MODEL.weights;
const TREES: readonly (readonly DecisionTree[])[] = MODEL.trees;
const NAMES = Object.keys(WEIGHTS) as (keyof Features)[];

/** Minimum probabilities: `shown` and `quoted`, that an answer exists, to show one or to quote below an offered title;
 * `answered`, that the quotation is right, to charge for it. */
export const MIN = { shown: 0.52, answered: 0.87, quoted: 0.1 };
const OFFERED = { usual: 0.04, outOfScope: 0.25, near: 1.3 };

/** Decides a question's outcome from its evidence, with the estimated probability that the quotation answers it, 0 to 1. */
export function decideOutcome({ evidence: [best] }: Findings, reading: Reading): Decision {
  if (best === undefined) return { outcome: "declined", probability: 0 };
  const features = featuresOf(best, reading);
  if (best.article.isNamed === true) return { outcome: "answered", probability: 1, features };
  const values = NAMES.map((name) => features[name]);
  const probabilityOf = (model: 0 | 1): number => {
    const linear = NAMES.reduce((sum, name, at) => sum + WEIGHTS[name][model]! * values[at]!, INTERCEPTS[model]!);
    return 1 / (1 + Math.exp(-linear - leavesOf(TREES[model]!, values)));
  };
  const [probability, answerable] = [probabilityOf(0), probabilityOf(1)];
  if (answerable >= MIN.shown)
    return { outcome: probability >= MIN.answered ? "answered" : "unsure", probability, features };
  const isOutside = features.surelyOutOfScope === 1;
  const isNear = !isOutside && (best.article.near ?? 0) >= OFFERED.near;
  const isLike = isNear || best.article.score >= (isOutside ? OFFERED.outOfScope : OFFERED.usual);
  return { outcome: isLike ? "offered" : "declined", probability, isQuoted: answerable >= MIN.quoted, features };
}

/** The sum of the leaves that the feature values reach in the trees. */
export function leavesOf(trees: readonly DecisionTree[], values: readonly number[]): number {
  let sum = 0;
  for (const tree of trees) {
    const splits = (tree.length - 1) / 3;
    let at = 0;
    while (at < splits) at = 2 * at + (values[tree[2 * at]!]! < tree[2 * at + 1]! ? 1 : 2);
    sum += tree[splits + at]!;
  }
  return sum;
}
