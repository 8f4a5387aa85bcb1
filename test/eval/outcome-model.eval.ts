import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type DecisionTree, MIN, leavesOf } from "../../src/assistant/answering/decide-outcome.ts";
import { fitTrees } from "./boosted-trees.ts";
import { readCenters } from "./centers.ts";
import { areaUnderCurve, fitLogistic, linearLogitOf, shareAbove, type LogisticModel } from "./logistic-regression.ts";
import {
  casesOfForeign,
  casesOfPublished,
  casesOfWorld,
  fillersFor,
  FOREIGN,
  type OutcomeCase,
} from "./outcome-cases.ts";
import { HAS_PUBLISHED, PARTS, SETS } from "./published.ts";
import { readWorld, TUNED } from "./worlds.ts";

/** How much a case counts beside a world's answerable question: one that is asked again with its articles taken away, one
 * that nothing answers; one in a corpus ten times larger, one of a small company, one of a published set, and one about quite other things. */
const WEIGHT = { right: { bereft: 0.3, declined: 2 }, answerable: { bereft: 0.3, declined: 3 } };
const SHARE = { large: 0.3, center: 0.3, published: 0.15, foreign: 0.1 };
const RIDGE = 0.01;
const to = process.env["ANP_EVAL_TO"];
const BOOSTING = { depth: 2, rounds: 150, rate: 0.08, ridge: 0.0005, least: 120 };
/** What speaks for an answer: the trees never say less of more of it. */
const RISING = ["score", "own", "titleAsked", "likest", "lead", "covered", "shown", "rarestShown", "judged"];

/** A logistic model, and the trees that add to its logit. */
interface Model {
  readonly linear: LogisticModel;
  readonly trees: readonly DecisionTree[];
}

type Goal = keyof typeof WEIGHT;
const GOALS = ["right", "answerable"] as const;

/** The small companies that the answer network did not learn from: what it says of the others is too good. */
const CENTERS = Object.values(readCenters())
  .flat()
  .filter(({ isLearned, tuning }) => !isLearned && tuning.length > 0);
const isOfCenter = ({ from }: OutcomeCase): boolean => CENTERS.some(({ name }) => name === from);
const isOfWorld = ({ from }: OutcomeCase): boolean => TUNED.some((name) => name === from);
const labelOf = (one: OutcomeCase, goal: Goal): boolean => (goal === "right" ? one.isGood : one.isAnswerable);
const valuesOf = ({ features }: OutcomeCase): number[] => Object.values(features);

function weightOf(one: OutcomeCase, goal: Goal): number {
  if (isOfCenter(one)) return one.isBereft ? SHARE.center * WEIGHT[goal].bereft : SHARE.center;
  if (one.from === FOREIGN) return one.part === 0 ? SHARE.foreign * WEIGHT[goal].declined : 0;
  if (!isOfWorld(one)) return SHARE.published;
  const weight = one.isBereft ? WEIGHT[goal].bereft : one.isAnswerable ? 1 : WEIGHT[goal].declined;
  return one.isLarge ? SHARE.large * weight : weight;
}

function fit(cases: readonly OutcomeCase[], goal: Goal): Model {
  const rows = cases.map((one) => ({
    values: valuesOf(one),
    isPositive: labelOf(one, goal),
    weight: weightOf(one, goal),
  }));
  const linear = fitLogistic(rows, RIDGE);
  const names = Object.keys(cases[0]!.features);
  const boosting = { ...BOOSTING, rising: RISING.map((name) => names.indexOf(name)) };
  return { linear, trees: fitTrees(rows, ({ values }) => linearLogitOf(linear, values), boosting) };
}

const probabilityOf = ({ linear, trees }: Model, values: readonly number[]): number =>
  1 / (1 + Math.exp(-linearLogitOf(linear, values) - leavesOf(trees, values)));

const share = (list: readonly OutcomeCase[], test: (one: OutcomeCase) => boolean): number =>
  Math.round((1000 * list.filter(test).length) / list.length) / 1000;

let cases: readonly OutcomeCase[] = [];
beforeAll(() => {
  const worlds = TUNED.map((name) => readWorld(name));
  cases = [
    ...[...worlds, ...CENTERS].flatMap((world) => casesOfWorld(world)),
    ...(HAS_PUBLISHED
      ? [
          ...worlds.flatMap((world) => casesOfWorld(world, fillersFor(world))),
          ...SETS.flatMap(casesOfPublished),
          ...worlds.flatMap(casesOfForeign),
        ]
      : []),
  ];
});

describe("the models of whether the quoted is right and whether anything answers", () => {
  it("tell them apart in a world that they were not fitted on", () => {
    const table = TUNED.map((left) => {
      const others = cases.filter(({ from }) => from !== left);
      const [right, answerable] = [fit(others, "right"), fit(others, "answerable")];
      const tested = cases.filter(({ from, isLarge }) => from === left && !isLarge);
      const areaOf = (goal: Goal, model: Model, list: readonly OutcomeCase[]): number => {
        const scores = (is: boolean): number[] =>
          list.flatMap((one) => (labelOf(one, goal) === is ? [probabilityOf(model, valuesOf(one))] : []));
        return areaUnderCurve(scores(true), scores(false));
      };
      const isShown = (one: OutcomeCase): boolean =>
        one.isNamed || probabilityOf(answerable, valuesOf(one)) >= MIN.shown;
      const isCharged = (one: OutcomeCase): boolean =>
        one.isNamed || (isShown(one) && probabilityOf(right, valuesOf(one)) >= MIN.answered);
      const asked = tested.filter(({ isBereft }) => !isBereft);
      const answers = asked.filter(({ isAnswerable }) => isAnswerable);
      const declines = asked.filter(({ isAnswerable }) => !isAnswerable);
      const [rightArea, answerableArea] = [areaOf("right", right, tested), areaOf("answerable", answerable, tested)];
      expect(Math.min(rightArea, answerableArea)).toBeGreaterThan(0.65);
      return {
        "left out": left,
        "right: area": rightArea.toFixed(3),
        "without bereft": areaOf("right", right, asked).toFixed(3),
        "answerable: area": answerableArea.toFixed(3),
        "without bereft ": areaOf("answerable", answerable, asked).toFixed(3),
        charged: share(answers, isCharged),
        "wrong of charged": share(asked.filter(isCharged), ({ isGood }) => !isGood),
        "good, shown": share(answers, (one) => isShown(one) && (isCharged(one) ? one.isGood : one.isGoodUnsure)),
        "not charged": share(declines, (one) => !isCharged(one)),
        "not shown": share(declines, (one) => !isShown(one)),
      };
    });
    console.table(table);
  });

  it.skipIf(!HAS_PUBLISHED)("tell them apart in the part of a published set that they were not fitted on", () => {
    const table = SETS.flatMap(({ name }) =>
      GOALS.map((goal) => {
        const isSame = ({ from }: OutcomeCase): boolean => from.split(" ")[0] === name.split(" ")[0]; // The same texts in two languages.
        const scored = Array.from({ length: PARTS }, (_, part) => {
          const model = fit(
            cases.filter((one) => !(isSame(one) && one.part === part)),
            goal,
          );
          const tested = cases.filter((one) => one.from === name && one.part === part);
          return tested.map((one) => ({ one, score: probabilityOf(model, valuesOf(one)) }));
        }).flat();
        const at = (large: boolean): string => {
          const scores = (is: boolean): number[] =>
            scored.flatMap(({ one, score }) => (one.isLarge === large && one.isAnswerable === is ? [score] : []));
          return shareAbove(scores(true), scores(false), 0.05).toFixed(3);
        };
        return { set: name, goal, "answered at 5% false": at(false), "ten times as many passages": at(true) };
      }),
    );
    console.table(table);
  });

  it("are fitted on all of them", () => {
    const models = GOALS.map((goal) => fit(cases, goal));
    const weights = Object.fromEntries(
      Object.keys(cases[0]!.features).map((name, at) => [
        name,
        models.map(({ linear }) => Number(linear.weights[at]!.toFixed(3))),
      ]),
    );
    const intercepts = models.map(({ linear }) => Number(linear.intercept.toFixed(3)));
    const file = { intercepts, weights, trees: models.map(({ trees }) => trees) };
    console.table(weights);
    if (HAS_PUBLISHED) {
      const elsewhere = cases.filter(({ from, part }) => from === FOREIGN && part === 1);
      const [right, answerable] = models.map((model) => (one: OutcomeCase) => probabilityOf(model, valuesOf(one)));
      console.table({
        "questions about other things, shown": share(elsewhere, (one) => answerable!(one) >= MIN.shown),
        charged: share(elsewhere, (one) => answerable!(one) >= MIN.shown && right!(one) >= MIN.answered),
      });
    }
    if (!HAS_PUBLISHED)
      console.log("Without --data the published questions are missing, so these are not the program's models.");
    else if (to === undefined)
      console.log("With --to DIR they are written as outcome-model.json, what stands in src/assistant/answering.");
    else writeFileSync(join(to, "outcome-model.json"), `${JSON.stringify(file)}\n`);
  });
});
