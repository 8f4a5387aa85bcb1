import { deserialize, serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { train, type Example } from "../../scripts/train-router.js";
import {
  createClassifier,
  type TrainedModel,
  type Annotator,
} from "../../src/assistant/routing/classifier/classifier.ts";

const EXAMPLES: readonly Example[] = [
  ...["reset my password", "I forgot my password", "change password please", "my password does not work"].map(
    (text) => ({ text, label: "password" }),
  ),
  ...["order a new card", "my card has not come", "when will the card arrive", "lost card"].map((text) => ({
    text,
    label: "card",
  })),
  ...["忘记密码", "怎么改密码", "密码错误"].map((text) => ({ text, label: "password" })),
  ...["银行卡丢了", "补办卡片", "卡什么时候到"].map((text) => ({ text, label: "card" })),
];

function learn(examples: readonly Example[], annotate?: Annotator) {
  return createClassifier(train(examples, annotate), annotate);
}

describe("the classifier", () => {
  const classifier = learn(EXAMPLES);

  it.each([
    ["how can I reset the password", "password"],
    ["where is my card", "card"],
    ["密码不对", "password"],
    ["我的卡呢", "card"],
    ["paswword forgoten", "password"],
  ])("labels %j as %s", (text, label) => {
    expect(classifier.classify(text).label).toBe(label);
  });

  it("is surer of what it has seen than of what it has not", () => {
    const seen = classifier.classify("I forgot my password").confidence;
    const unseen = classifier.classify("zebra quartz").confidence;
    expect(seen).toBeGreaterThan(0.8);
    expect(unseen).toBeLessThan(0.6);
  });

  it("learns the same from the same examples", () => {
    const again = learn(EXAMPLES);
    for (const { text } of EXAMPLES) expect(again.classify(text)).toEqual(classifier.classify(text));
  });

  it("knows the same when what was learned was kept as bytes", () => {
    const kept = createClassifier(deserialize(serialize(train(EXAMPLES))) as TrainedModel);
    for (const { text } of EXAMPLES) expect(kept.classify(text)).toEqual(classifier.classify(text));
  });

  it("learns from what an annotator names", () => {
    const annotate = (text: string): string[] => (/kitten|puppy|hamster/.test(text) ? ["pet"] : []);
    const examples: Example[] = [
      { text: "my kitten", label: "pets" },
      { text: "this puppy", label: "pets" },
      { text: "a lorry", label: "cars" },
      { text: "the truck", label: "cars" },
    ];
    const pets = learn(examples, annotate);
    expect(pets.classify("hamster").confidence).toBeGreaterThan(learn(examples).classify("hamster").confidence);
    expect(pets.classify("hamster").label).toBe("pets");
  });
});
