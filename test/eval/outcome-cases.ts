import { previousOf } from "../../src/assistant/answering/evidence-answer.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { featuresOf, type Reading } from "../../src/assistant/retrieval/evidence-features.ts";
import { findEvidence, type Findings } from "../../src/assistant/retrieval/find-evidence.ts";
import type { Search } from "../../src/assistant/retrieval/question-terms.ts";
import { routeQuestion, withoutResearch } from "../../src/assistant/routing/router.ts";
import { detectLanguage } from "../../src/language/detect-language.ts";
import {
  foreignQuestions,
  PARTS,
  partsOf,
  passagesOf,
  recombined,
  rowsOf,
  SETS,
  type PublishedQuestion,
  type PublishedSet,
} from "./published.ts";
import { containsFacts, NOW } from "./world-figures.ts";
import type { World, WorldQuestion } from "./worlds.ts";

/** A question with the evidence that was found for it. */
export interface OutcomeCase {
  readonly from: string; // The world, or the published set.
  readonly part: number; // Of a published set, or of foreign questions; cases of one part are left out together.
  readonly isLarge: boolean; // Whether it was asked in a corpus ten times larger.
  readonly features: ReturnType<typeof featuresOf>;
  readonly isNamed: boolean;
  readonly isBereft: boolean; // Whether the articles that answer were taken away.
  readonly isAnswerable: boolean;
  readonly isGood: boolean; // Whether what would be quoted answers it.
  readonly isGoodUnsure: boolean; // Whether what is quoted where one is not sure answers it.
}

const LARGER = 10;
const MOST_UNSURE = 3;

/** The case of a search; none where nothing is found. */
function caseOf(
  about: Pick<OutcomeCase, "from" | "part" | "isLarge" | "isBereft" | "isAnswerable">,
  index: AnswerIndex,
  search: Search,
  reading: Reading,
  answers: (quoted: Findings["evidence"]) => boolean,
): OutcomeCase[] {
  const findings = findEvidence(index, search);
  const [best] = findings.evidence;
  if (best === undefined) return [];
  const isAnswered = (quoted: Findings["evidence"]): boolean => about.isAnswerable && answers(quoted);
  return [
    {
      ...about,
      features: featuresOf(best, reading),
      isNamed: best.article.isNamed === true,
      isGood: isAnswered(findings.quoted),
      isGoodUnsure: isAnswered(findings.evidence.slice(0, MOST_UNSURE)),
    },
  ];
}

/** The questions of a world with their evidence; answerable ones a second time, without the articles that answer.
 * @param more passages that are none of the world's, so that the corpus is larger */
export function casesOfWorld(world: World, more: readonly Passage[] = []): OutcomeCase[] {
  const index = new AnswerIndex([...world.passages, ...more]);
  const ask = (asked: WorldQuestion, isBereft: boolean): OutcomeCase[] => {
    const { question, lang, gold } = asked;
    const history = (asked.after ?? []).map((before) => ({ question: before, answer: "" }));
    const isAnswerable = asked.outcome === "answer" && !isBereft;
    const accept = isBereft ? { accept: ({ id }: Passage) => !gold.includes(id) } : {};
    const previous = previousOf({ question, history });
    return caseOf(
      { from: world.name, part: 0, isLarge: more.length > 0, isBereft, isAnswerable },
      index,
      { question: withoutResearch(question), lang, now: NOW, previous, ...accept },
      { question, routing: routeQuestion(question, { history }) },
      (quoted) =>
        quoted.some(({ article }) => gold.includes(article.found.passage.id)) &&
        containsFacts(quoted.map(({ window }) => window.text).join("\n"), asked),
    );
  };
  return world.tuning.flatMap((asked) => {
    if (asked.outcome === "answer") return [...ask(asked, false), ...ask(asked, true)];
    return asked.outcome === "decline" ? ask(asked, false) : [];
  });
}

/** Where cases come from that no company's content is about. */
export const FOREIGN = "elsewhere";

/** Questions about quite other things, asked of a world; their part is that of `foreignQuestions`. */
export function casesOfForeign(world: World): OutcomeCase[] {
  return foreignQuestions().flatMap((questions, part) => {
    const tuning = questions.map((question, at): WorldQuestion => {
      const lang = detectLanguage(question, "en");
      return { id: String(at), lang, kind: FOREIGN, question, outcome: "decline", gold: [], facts: [] };
    });
    return casesOfWorld({ ...world, name: FOREIGN, tuning }).map((one) => ({ ...one, part }));
  });
}

/** Passages of the published sets that make a world's corpus ten times as large. */
export function fillersFor(world: World): Passage[] {
  const count = Math.round((world.passages.length * (LARGER - 1)) / SETS.length);
  return SETS.flatMap(({ name, passages }) => recombined(passagesOf(passages), count, `${world.name} ${name}`));
}

/** The questions of a published set, each with and without the passage that answers it, among the set's passages and
 * among ten times as many. What is added to a part's questions is made of the passages of the other parts. */
export function casesOfPublished({ name, lang, passages: file, queries }: PublishedSet): OutcomeCase[] {
  const passages = passagesOf(file);
  const parts = partsOf(passages);
  const routing = { route: "help", sub_intent: "general", lang, confidence: 0.5, research: false } as const;
  const ask = (index: AnswerIndex, isLarge: boolean, asked: PublishedQuestion): OutcomeCase[] =>
    [false, true].flatMap((isBereft) => {
      const { question, gold_passage: gold, answers } = asked;
      const accept = isBereft ? { accept: ({ id }: Passage) => id !== gold } : {};
      return caseOf(
        { from: name, part: parts.get(gold)!, isLarge, isBereft, isAnswerable: !isBereft },
        index,
        { question, lang, now: 0, ...accept },
        { question, routing },
        (quoted) =>
          quoted.some(
            ({ article, window }) =>
              article.found.passage.id === gold && answers.some((answer) => window.text.includes(answer)),
          ),
      );
    });
  const questions = rowsOf<PublishedQuestion>(queries);
  const index = new AnswerIndex(passages);
  const small = questions.flatMap((asked) => ask(index, false, asked));
  const large = Array.from({ length: PARTS }, (_, part) => {
    const others = passages.filter(({ id }) => parts.get(id) !== part);
    const larger = new AnswerIndex([
      ...passages,
      ...recombined(others, passages.length * (LARGER - 1), `${name} ${part}`),
    ]);
    const own = questions.filter(({ gold_passage: gold }) => parts.get(gold) === part);
    return own.flatMap((asked) => ask(larger, true, asked));
  });
  return [...small, ...large.flat()];
}
