import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seedExamples, train, type Example } from "../../scripts/train-router.js";
import { createClassifier, type Annotator } from "../../src/assistant/routing/classifier/classifier.ts";
import { conceptsIn, routeQuestion } from "../../src/assistant/routing/router.ts";
import { linesOf } from "./published.ts";

const DATA = process.env["ANP_DATA"];
const FOLDS = 5;

function toExample(line: string): Example {
  const [text = "", label = ""] = line.split("\t");
  return { text, label };
}

/** `text,category` where the text may be quoted and hold commas and line breaks. */
function banking77(): Example[] {
  const records = linesOf("routing", "banking77", "train.csv").slice(1).join("\n");
  return [...records.matchAll(/(?:"((?:[^"]|"")*)"|([^"\n][^\n]*)),([a-zA-Z_?]+)\r?(?=\n|$)/g)].map(
    ([, quoted, plain = "", label = ""]) => ({ text: (quoted ?? plain).replaceAll('""', '"').trim(), label }),
  );
}

/** User turns about one domain, or that only greet, thank or say goodbye. */
function crosswoz(): Example[] {
  return linesOf("routing", "crosswoz", "user_turns.val.jsonl")
    .map((line) => JSON.parse(line) as { text: string; domains: string[]; general: string[] })
    .filter(({ domains, general }) => domains.length === 1 || (domains.length === 0 && general.length > 0))
    .map(({ text, domains, general }) => ({ text, label: domains[0] ?? general[0]! }));
}

/** Accuracy, and the mean F1 of the labels. */
function score(gold: readonly string[], said: readonly string[]): { accuracy: string; "macro F1": string } {
  const labels = [...new Set(gold)];
  const f1 = labels.map((label) => {
    const hits = gold.filter((name, at) => name === label && said[at] === label).length;
    const total = gold.filter((name) => name === label).length + said.filter((name) => name === label).length;
    return (2 * hits) / total;
  });
  const right = gold.filter((name, at) => name === said[at]).length;
  return {
    accuracy: (right / gold.length).toFixed(3),
    "macro F1": (f1.reduce((sum, value) => sum + value, 0) / labels.length).toFixed(3),
  };
}

function learn(examples: readonly Example[], annotate?: Annotator) {
  return createClassifier(train(examples, annotate), annotate);
}

/** Trains on four fifths, labels the rest, five times. */
function crossValidate(examples: readonly Example[], learnFrom: (examples: Example[]) => ReturnType<typeof learn>) {
  const said: string[] = [];
  const gold: string[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const classifier = learnFrom(examples.filter((_, at) => at % FOLDS !== fold));
    for (const { text, label } of examples.filter((_, at) => at % FOLDS === fold)) {
      gold.push(label);
      said.push(classifier.classify(text).label);
    }
  }
  return { examples: examples.length, labels: new Set(gold).size, ...score(gold, said) };
}

describe("routing of the product's own questions", () => {
  it("on questions that are not seeds", () => {
    const file = new URL("../assistant/data/questions.tsv", import.meta.url);
    const rows = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    const wrong: { question: string; want: string; got: string }[] = [];
    let routes = 0;
    for (const [want = "", question = ""] of rows) {
      const { route, sub_intent } = routeQuestion(question, { history: [] });
      const got = `${route}/${sub_intent}`;
      const accepted = want.split("|");
      if (accepted.some((label) => label.startsWith(`${route}/`))) routes++;
      if (!accepted.includes(got)) wrong.push({ question, want, got });
    }
    console.table([
      {
        questions: rows.length,
        "right route": (routes / rows.length).toFixed(3),
        "right sub-intent": (1 - wrong.length / rows.length).toFixed(3),
      },
    ]);
    console.table(wrong);
    expect(routes / rows.length).toBeGreaterThan(0.9);
  });

  it("on the seeds, cross-validated, and how fast it learns", () => {
    const seeds = seedExamples();
    const started = performance.now();
    const classifier = learn(seeds, conceptsIn);
    const trained = performance.now();
    for (const { text } of seeds) classifier.classify(text);
    const classified = performance.now();
    console.table([
      {
        ...crossValidate(seeds, (examples) => learn(examples, conceptsIn)),
        "training ms": (trained - started).toFixed(0),
        "classification ms": ((classified - trained) / seeds.length).toFixed(3),
      },
    ]);
  });
});

describe.skipIf(DATA === undefined || !existsSync(join(DATA, "routing")))(
  "the classifier on published sets (skipped without ANP_DATA)",
  () => {
    it("BANKING77 and CrossWOZ, cross-validated", () => {
      console.table({
        BANKING77: crossValidate(banking77(), (examples) => learn(examples)),
        CrossWOZ: crossValidate(crosswoz(), (examples) => learn(examples)),
      });
    });

    it("CLINC150 with its out-of-scope queries", () => {
      const classifier = learn(linesOf("routing", "clinc150", "train.tsv").map(toExample));
      const inScope = linesOf("routing", "clinc150", "val.tsv").map(toExample);
      const outside = ["oos_train.tsv", "oos_val.tsv"].flatMap((file) => linesOf("routing", "clinc150", file));
      const said = inScope.map(({ text }) => classifier.classify(text));
      const strange = outside.map((line) => classifier.classify(toExample(line).text).confidence);
      console.table([
        score(
          inScope.map(({ label }) => label),
          said.map(({ label }) => label),
        ),
      ]);
      console.table(
        [0.3, 0.5, 0.6, 0.7, 0.8, 0.9].map((least) => ({
          "least confidence": least,
          "in scope: right and accepted": (
            said.filter(({ label, confidence }, at) => label === inScope[at]!.label && confidence >= least).length /
            inScope.length
          ).toFixed(3),
          "out of scope: rejected": (
            strange.filter((confidence) => confidence < least).length / strange.length
          ).toFixed(3),
        })),
      );
    });
  },
);
