import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WorkCounter } from "./count-work.ts";

/** What feeds, models and users may repeat to make something slow. */
const REPEATED = [
  ...[
    " ",
    "\n",
    "y",
    "1",
    "A",
    "中",
    ".",
    "!",
    "[",
    "(",
    "*",
    "<",
    "&",
    "\u0301",
    "\u0315\u0300",
    "ﾞ\u0315",
    "ﷺ",
    "1,1",
  ],
  ...[
    "[1]",
    "[1, 2",
    " [",
    "no. 1 ",
    "etc. A ",
    "1. ",
    '!"',
    "a.b ",
    "<think>",
    "<!--",
    "<script>",
    "<ol><li>",
    "<table><tr",
    "<tr><td rowspan=9>a<td>",
    "<nav>",
    "<header><h1>",
    "<main><form></aside>",
    "&#1",
    "[x](",
    "**a",
    " *a",
    " _a",
    "~~a",
    "[a][",
    "\\",
    "`a",
  ],
  ...[
    "log in ",
    "sign ",
    "identity ",
    "BTC/",
    "BTC (",
    "$A",
    "请",
    "中中中和",
    "as and ",
    "你好",
    "深度分析",
    "预测",
    "will btc ",
    "a'b",
    "withdrawel ",
  ],
  ...["a@b.", "http://a.b/", "0x1f", "1 ", "a-"],
];

/** Work of twice the input against once, where the input is long enough for constants not to count: what grows with the
 * square is seen from a 6000th of the steps a character on. (Of 1500 characters, 2.4 would see the same.) */
const MOST = 2.22;
const LENGTH = 750;
const TOGETHER = 8;

let counter: WorkCounter;
let functions: Record<string, (text: string) => unknown>;

/** Steps for twice the length of the repeated parts against once. */
function growthOf(run: (text: string) => unknown, parts: readonly string[]): number {
  const texts = parts.map((part) => part.repeat(Math.ceil(LENGTH / part.length)));
  const once = counter.count(() => texts.map(run));
  return counter.count(() => texts.map((text) => run(text + text))) / once;
}

/** Loads a module of the sources, whose blocks are counted: the compiled ones may have been loaded before. */
const load = async <T>(file: string): Promise<T> =>
  (await import(new URL(`../../src/${file}`, import.meta.url).pathname)) as T;

beforeAll(async () => {
  counter = new WorkCounter();
  // Loaded again, so that the blocks are counted.
  vi.resetModules();
  const { headlineTermsOf } = await load<typeof import("../../src/language/terms.ts")>("language/terms.ts");
  const { assetsInNews, assetsInQuestion, isAssetName } =
    await load<typeof import("../../src/language/assets.ts")>("language/assets.ts");
  const { segment } = await load<typeof import("../../src/language/dictionary/dictionary.ts")>(
    "language/dictionary/dictionary.ts",
  );
  // Read before anything is counted.
  segment("1");
  headlineTermsOf("1", []);
  const { sentimentOf } = await load<typeof import("../../src/news/sentiment/sentiment-model.ts")>(
    "news/sentiment/sentiment-model.ts",
  );
  const { readTitle } = await load<typeof import("../../src/news/topics/title-questions.ts")>(
    "news/topics/title-questions.ts",
  );
  const { sentencesOf } = await load<typeof import("../../src/language/sentences.ts")>("language/sentences.ts");
  const { plainLine, plainText, shorten } =
    await load<typeof import("../../src/language/plain-text.ts")>("language/plain-text.ts");
  const { resolveCitations } = await load<typeof import("../../src/assistant/answering/model-answer.ts")>(
    "assistant/answering/model-answer.ts",
  );
  const { dropCutSentence } = await load<typeof import("../../src/assistant/model/model-call.ts")>(
    "assistant/model/model-call.ts",
  );
  const { judgeReply } = await load<typeof import("../../src/assistant/grounding/judge-reply.ts")>(
    "assistant/grounding/judge-reply.ts",
  );
  const source = {
    id: "1",
    kind: "help",
    title: "1",
    text: "One. Two 2.",
    url: "",
    lang: "en",
    published_at: null,
  } as const;
  const asked = { excerpts: [source], question: "1", lang: "en", wide: true, instructions: "" } as const;
  const { cleanReply } = await load<typeof import("../../src/assistant/model/model-call.ts")>(
    "assistant/model/model-call.ts",
  );
  const { answerTypeOf } = await load<typeof import("../../src/assistant/retrieval/rate-units.ts")>(
    "assistant/retrieval/rate-units.ts",
  );
  const { partsOf } = await load<typeof import("../../src/assistant/answering/question-parts.ts")>(
    "assistant/answering/question-parts.ts",
  );
  const { AnswerIndex } = await load<typeof import("../../src/assistant/retrieval/answer-index.ts")>(
    "assistant/retrieval/answer-index.ts",
  );
  const { findEvidence } = await load<typeof import("../../src/assistant/retrieval/find-evidence.ts")>(
    "assistant/retrieval/find-evidence.ts",
  );
  const { searchTerms } = await load<typeof import("../../src/assistant/retrieval/language-index.ts")>(
    "assistant/retrieval/language-index.ts",
  );
  const { unitsOf } = await load<typeof import("../../src/assistant/retrieval/text-units.ts")>(
    "assistant/retrieval/text-units.ts",
  );
  const { featuresOf } = await load<typeof import("../../src/assistant/routing/classifier/classifier.ts")>(
    "assistant/routing/classifier/classifier.ts",
  );
  const rules = await load<typeof import("../../src/assistant/routing/router.ts")>("assistant/routing/router.ts");
  const { periodOf, withoutPeriod } = await load<typeof import("../../src/assistant/answering/period.ts")>(
    "assistant/answering/period.ts",
  );
  const { isOfOther } = await load<typeof import("../../src/assistant/answering/asked-facts.ts")>(
    "assistant/answering/asked-facts.ts",
  );
  const { normalizeQuestion, presentQuestion } = await load<
    typeof import("../../src/events/projections/question-text.ts")
  >("events/projections/question-text.ts");
  const { cleanLine } = await load<typeof import("../../src/cli/terminal/clean-text.ts")>("cli/terminal/clean-text.ts");
  const passages = ["1", "2"].map((id) => ({ id, kind: "help", title: id, text: "", url: "", lang: "en" }) as const);
  const index = new AnswerIndex(passages.map((passage) => ({ ...passage, published_at: null })));
  functions = {
    "a question": (text) => [
      rules.isKind("advice", text),
      rules.isElliptical(text),
      rules.withoutCourtesy(text),
      rules.withoutState(text),
      ...(["sum", "followUp", "news", "notice", "why", "rule", "state", "stateTitle", "calculation"] as const).map(
        (kind) => rules.isKind(kind, text),
      ),
      [periodOf(text, 0), withoutPeriod(text)],
      isOfOther(
        text,
        { id: "1", kind: "news", title: "X2", url: "", lang: "en", published_at: null, snippet: "X3" },
        0,
      ),
      isAssetName(text),
      assetsInQuestion(text),
      featuresOf(text),
      [partsOf(text), partsOf(`how do I set up ${text}`), partsOf(`怎么设置${text}`)],
      findEvidence(index, { question: text, lang: "zh", now: 0 }),
      ...["how long", "how many", "when", "where", "why"].map((question) => answerTypeOf(question)!(text)),
    ],
    "a model's reply": (text) => [
      cleanReply(text),
      judgeReply({ ...asked, reply: `${text} [1]` }),
      dropCutSentence(text),
      resolveCitations(
        text,
        passages.map((passage) => ({ ...passage, published_at: null })),
      ),
    ],
    "an article": (text) => [sentencesOf(plainText(text)), searchTerms(`${text}ing`), unitsOf(text)],
    "a headline": (text) => [
      headlineTermsOf(text, []),
      assetsInNews(text),
      shorten(plainLine(text), 100),
      sentimentOf(text, ""),
      readTitle(text, "zh", ""),
      readTitle(text, "en", ""),
    ],
    "an asked question": (text) => normalizeQuestion(presentQuestion(text).slice(0, 200)),
    "a line for a terminal": (text) => cleanLine(text),
  };
  // What loading took is no part of the first count, and shows that blocks are counted.
  expect(counter.count(() => undefined)).toBeGreaterThan(0);
});

afterAll(() => {
  counter.end();
  vi.resetModules();
});

describe("linear time", () => {
  it.each(["a question", "a model's reply", "an article", "a headline", "an asked question", "a line for a terminal"])(
    "takes %s of twice the length in twice the steps",
    (name) => {
      const run = functions[name]!;
      // What is read once is no step of the first group.
      counter.count(() => REPEATED.map(run));
      const slow: string[] = [];
      for (let at = 0; at < REPEATED.length; at += TOGETHER) {
        // A count takes some milliseconds: what is slow in a group is looked for only when the group is.
        const group = REPEATED.slice(at, at + TOGETHER);
        if (growthOf(run, group) > MOST) slow.push(...group.filter((part) => growthOf(run, [part]) > MOST));
      }
      expect(slow).toEqual([]);
    },
  );

  it("counts the steps of what is quadratic", () => {
    const trimmed = (text: string) => text.replace(/x+$/, "").length;
    const inLoop = (text: string) => Array.from(text, (_, at) => text.slice(at).includes("y"));
    expect(counter.count(() => inLoop("x".repeat(200)))).toBeGreaterThan(
      3.8 * counter.count(() => inLoop("x".repeat(100))),
    );
    expect(counter.count(() => trimmed("x".repeat(100)))).toBeGreaterThan(0);
  });
});
