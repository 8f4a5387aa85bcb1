import { beforeAll, describe, expect, it } from "vitest";
import { LEAST } from "../../src/assistant/answering/decide-outcome.ts";
import { readCenters } from "./centers.ts";
import { areaUnderCurve, fitLogistic, probabilityOf, shareAbove, type LogisticModel } from "./logistic-regression.ts";
import { casesOfPublished, casesOfWorld, fillersFor, type OutcomeCase } from "./outcome-cases.ts";
import { HAS_PUBLISHED, PARTS, SETS } from "./published.ts";
import { readWorld, TUNED } from "./worlds.ts";

/** How much a case counts beside a world's answerable question: one that is asked again with its articles taken away, one
 * that nothing answers; one in a corpus ten times larger, one of a small company, and one of a published set. */
const WEIGHT = { right: { bereft: 0.3, declined: 2 }, answerable: { bereft: 0.3, declined: 3 } };
const SHARE = { large: 0.3, center: 0.1, published: 0.15 };
const RIDGE = 0.01;

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
  if (!isOfWorld(one)) return SHARE.published;
  const weight = one.isBereft ? WEIGHT[goal].bereft : one.isAnswerable ? 1 : WEIGHT[goal].declined;
  return one.isLarge ? SHARE.large * weight : weight;
}

function fit(cases: readonly OutcomeCase[], goal: Goal): LogisticModel {
  const rows = cases.map((one) => ({
    values: valuesOf(one),
    isPositive: labelOf(one, goal),
    weight: weightOf(one, goal),
  }));
  return fitLogistic(rows, RIDGE);
}

const share = (list: readonly OutcomeCase[], test: (one: OutcomeCase) => boolean): number =>
  Math.round((1000 * list.filter(test).length) / list.length) / 1000;

let cases: readonly OutcomeCase[] = [];
beforeAll(() => {
  const worlds = TUNED.map((name) => readWorld(name));
  cases = [
    ...[...worlds, ...CENTERS].flatMap((world) => casesOfWorld(world)),
    ...(HAS_PUBLISHED
      ? [...worlds.flatMap((world) => casesOfWorld(world, fillersFor(world))), ...SETS.flatMap(casesOfPublished)]
      : []),
  ];
});

describe("the models of whether the quoted is right and whether anything answers", () => {
  it("tell them apart in a world that they were not fitted on", () => {
    const table = TUNED.map((left) => {
      const others = cases.filter(({ from }) => from !== left);
      const [right, answerable] = [fit(others, "right"), fit(others, "answerable")];
      const tested = cases.filter(({ from, isLarge }) => from === left && !isLarge);
      const areaOf = (goal: Goal, model: LogisticModel, list: readonly OutcomeCase[]): number => {
        const scores = (is: boolean): number[] =>
          list.flatMap((one) => (labelOf(one, goal) === is ? [probabilityOf(model, valuesOf(one))] : []));
        return areaUnderCurve(scores(true), scores(false));
      };
      const isShown = (one: OutcomeCase): boolean =>
        one.isNamed || probabilityOf(answerable, valuesOf(one)) >= LEAST.shown;
      const isCharged = (one: OutcomeCase): boolean =>
        one.isNamed || (isShown(one) && probabilityOf(right, valuesOf(one)) >= LEAST.answered);
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
    const lines = Object.keys(cases[0]!.features).map((name, at) => {
      const weights = models.map(({ weights }) => Number(weights[at]!.toFixed(3)));
      return `    ${JSON.stringify(name)}: [${weights.join(", ")}]`;
    });
    const intercepts = models.map(({ intercept }) => Number(intercept.toFixed(3))).join(", ");
    console.log(
      HAS_PUBLISHED
        ? "What stands in src/assistant/answering/outcome-model.json:"
        : "Without --data the published questions are missing, so these are not the program's models:",
    );
    console.log(`{\n  "intercepts": [${intercepts}],\n  "weights": {\n${lines.join(",\n")}\n  }\n}`);
  });
});
