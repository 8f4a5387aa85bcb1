import { describe, expect, it } from "vitest";
import { previousOf } from "../../src/assistant/answering/evidence-answer.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { featuresOf } from "../../src/assistant/retrieval/evidence-features.ts";
import { findEvidence } from "../../src/assistant/retrieval/find-evidence.ts";
import { isElliptical, routeQuestion, withoutResearch } from "../../src/assistant/routing/router.ts";
import { containsFacts, NOW } from "./world-figures.ts";
import { readWorld, TUNED, type World, type WorldQuestion } from "./worlds.ts";

type Features = ReturnType<typeof featuresOf>;

/** A question with the evidence that was found for it. */
interface Case {
  readonly world: string;
  readonly features: Features;
  readonly isAnswerable: boolean;
  /** Whether what would be quoted answers it. */
  readonly isGood: boolean;
  readonly weight: number;
}

/** Weights of a question that is asked again with its articles taken away, and of one that nothing answers. */
const WEIGHT = { right: { bereft: 0.3, declined: 1 }, answerable: { bereft: 0.3, declined: 3 } };
const RIDGE = 0.05;
const STEPS = 3000;

type Goal = keyof typeof WEIGHT;

/** The questions of a world with their evidence; answerable ones a second time, without the articles that answer. */
function casesOf(world: World, goal: Goal): Case[] {
  const index = new AnswerIndex(world.passages);
  const caseOf = (asked: WorldQuestion, isBereft: boolean): Case[] => {
    const { question, lang, gold, outcome } = asked;
    const history = (asked.after ?? []).map((before) => ({ question: before, answer: "" }));
    const findings = findEvidence(index, {
      question: withoutResearch(question),
      lang,
      now: NOW,
      previous: previousOf({ question, history }),
      ...(isBereft ? { accept: ({ id }) => !gold.includes(id) } : {}),
    });
    const [best, ...rest] = findings.evidence;
    if (best === undefined) return [];
    const isFollowUp = isElliptical(question) && history.length > 0;
    const features = featuresOf([best, ...rest], findings.ranked, {
      isFollowUp,
      routing: routeQuestion(question, { history }),
    });
    const isAnswerable = outcome === "answer" && !isBereft;
    const isRight = findings.quoted.some(({ article }) => gold.includes(article.found.passage.id));
    const text = findings.quoted.map(({ window }) => window.text).join("\n");
    const isGood = isAnswerable && isRight && containsFacts(text, asked);
    const weight = isBereft ? WEIGHT[goal].bereft : isAnswerable ? 1 : WEIGHT[goal].declined;
    return [{ world: world.name, features, isAnswerable, isGood, weight }];
  };
  return world.tuning.flatMap((asked) => {
    if (asked.outcome === "answer") return [...caseOf(asked, false), ...caseOf(asked, true)];
    return asked.outcome === "decline" ? caseOf(asked, false) : [];
  });
}

interface Model {
  readonly intercept: number;
  readonly weights: readonly number[];
}

/** Logistic regression with a ridge penalty on standardised features, by gradient descent with momentum. */
function fit(cases: readonly Case[], label: (one: Case) => boolean): Model {
  const values = cases.map(({ features }) => Object.values(features));
  const columns = values[0]!.map((_, at) => values.map((row) => row[at]!));
  const means = columns.map((column) => column.reduce((sum, x) => sum + x, 0) / column.length);
  const spreads = columns.map(
    (column, at) => Math.sqrt(column.reduce((sum, x) => sum + (x - means[at]!) ** 2, 0) / column.length) || 1,
  );
  const rows = values.map((row) => [1, ...row.map((x, at) => (x - means[at]!) / spreads[at]!)]);
  const total = cases.reduce((sum, { weight }) => sum + weight, 0);
  const weights = [0, ...means.map(() => 0)];
  const speeds = weights.map(() => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : RIDGE * weight));
    for (const [i, row] of rows.entries()) {
      const error = sigmoid(dot(weights, row)) - (label(cases[i]!) ? 1 : 0);
      for (const [at, x] of row.entries()) gradient[at]! += (cases[i]!.weight / total) * error * x;
    }
    for (const [at, slope] of gradient.entries()) {
      speeds[at] = 0.9 * speeds[at]! + slope;
      weights[at]! -= 0.1 * speeds[at];
    }
  }
  const [intercept = 0, ...slopes] = weights;
  const raw = slopes.map((slope, at) => slope / spreads[at]!);
  return { intercept: intercept - dot(raw, means), weights: raw };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, at) => sum + x * b[at]!, 0);
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Probability that a positive case gets more than a negative one (area under the ROC curve). */
function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  const wins = positives.flatMap((p) => negatives.map((n): number => (p > n ? 1 : p === n ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

describe.each(["right", "answerable"] as const)("the model of whether a question is %s", (goal) => {
  const cases = TUNED.flatMap((name) => casesOf(readWorld(name), goal));
  const label = ({ isGood, isAnswerable }: Case): boolean => (goal === "right" ? isGood : isAnswerable);

  it("tells them apart in a world that it was not fitted on", () => {
    for (const left of TUNED) {
      const { intercept, weights } = fit(
        cases.filter(({ world }) => world !== left),
        label,
      );
      const tested = cases.filter(({ world }) => world === left);
      const scores = (is: boolean): number[] =>
        tested.flatMap((one) => (label(one) === is ? [intercept + dot(weights, Object.values(one.features))] : []));
      const area = areaUnderCurve(scores(true), scores(false));
      console.log(`${goal}, fitted without ${left}: area under the ROC curve ${area.toFixed(3)}`);
      expect(area).toBeGreaterThan(0.65);
    }
  });

  it("is the one of the program", () => {
    const { intercept, weights } = fit(cases, label);
    const lines = Object.keys(cases[0]!.features).map((name, at) => `${name}: ${weights[at]!.toFixed(3)},`);
    // These stand in src/assistant/answering/outcome-model.json.
    console.log(`${goal}: intercept: ${intercept.toFixed(3)}\n${lines.join("\n")}`);
  });
});
