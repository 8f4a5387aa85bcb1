import type { Answer } from "../../src/assistant/answer.ts";
import { prepareQuestion, type PreparedQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { fold } from "../../src/language/tokenize.ts";
import type { World, WorldQuestion } from "./worlds.ts";

/** When the worlds were written. */
export const NOW = Date.parse("2026-11-22T00:00:00Z");

/** Account and market are answered by the service. */
const FROM_FIGURES: Omit<Answer, "routing"> = { text: "", sources: [], outcome: "answered", model_name: "" };

/** What became of a question. */
export interface Result {
  readonly asked: WorldQuestion;
  readonly answer: Answer;
  readonly isGood: boolean;
  /** Whether it is good, or the answer is quoted below an offered title. */
  readonly isTold: boolean;
  readonly isCharged: boolean;
  readonly isShown: boolean;
  /** Whether anything is quoted, also below an offered title. */
  readonly isQuoted: boolean;
  /** Whether a right article is quoted, or offered. */
  readonly isRight: boolean;
}

/** Asks questions as a user with memory would: the earlier ones of a conversation first. */
export function askAll(
  world: World,
  questions: readonly WorldQuestion[],
  index: AnswerIndex = new AnswerIndex(world.passages),
): Result[] {
  const results: Result[] = [];
  for (const asked of questions) {
    const history = (asked.after ?? []).map((question) => ({ question, answer: "" }));
    const given = { question: asked.question, history, research: false, refused: [], hasModel: false, now: NOW };
    results.push(judge(asked, prepareQuestion(given, index)));
  }
  return results;
}

function judge(asked: WorldQuestion, { routing, kind, answer: prepared }: PreparedQuestion): Result {
  const answer: Answer = prepared ?? { ...FROM_FIGURES, routing };
  const isCharged = answer.outcome === "answered" && kind === "other";
  const isShown = isCharged || answer.outcome === "unsure";
  const hasFacts = containsFacts(answer.text, asked);
  const ids = new Set(answer.sources.map(({ id }) => id));
  const isRight = asked.gold.length > 0 && asked.gold.some((id) => ids.has(id));
  const isGood = asked.outcome === "answer" ? isShown && hasFacts && isRight : isRightlyFree(asked, answer, isShown);
  const isQuoted = isShown || (answer.outcome === "offered" && /^ {3}/m.test(answer.text));
  const isTold = isGood || (asked.outcome === "answer" && isQuoted && hasFacts && isRight);
  return { asked, answer, isGood, isTold, isCharged, isShown, isQuoted, isRight };
}

/** Whether a text holds one spelling of each fact. */
export function containsFacts(text: string, { facts }: WorldQuestion): boolean {
  const said = spaced(text);
  return facts.every((spellings) => spellings.some((fact) => said.includes(spaced(fact))));
}

function isRightlyFree({ outcome }: WorldQuestion, { routing }: Answer, isShown: boolean): boolean {
  if (outcome === "account") return routing.route === "account";
  return !isShown;
}

function spaced(text: string): string {
  return fold(text).replace(/\s+/g, " ");
}

const sumOf = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0);

function share(part: number, of: number): number {
  return of === 0 ? 0 : Math.round((1000 * part) / of) / 1000;
}

/** Shares of the questions of which something holds. */
export function figuresOf(results: readonly Result[]): Record<string, number> {
  const answerable = results.filter(({ asked }) => asked.outcome === "answer");
  const declinable = results.filter(({ asked }) => asked.outcome === "decline");
  const charged = results.filter(({ isCharged }) => isCharged);
  const count = (list: readonly Result[], test: (result: Result) => boolean): number => list.filter(test).length;
  const unsure = results.filter(({ answer }) => answer.outcome === "unsure").map(({ answer }) => answer.text.length);
  const titles = answerable.filter(({ asked }) => asked.kind === "title");
  return {
    answerable: answerable.length,
    good: share(
      count(answerable, ({ isGood }) => isGood),
      answerable.length,
    ),
    cited: share(
      count(answerable, ({ isShown, isRight }) => isShown && isRight),
      answerable.length,
    ),
    told: share(
      count(answerable, ({ isTold }) => isTold),
      answerable.length,
    ),
    "not found": share(
      count(answerable, ({ isRight, isGood }) => !isRight && !isGood),
      answerable.length,
    ),
    "charged of answerable": share(
      count(answerable, ({ isCharged }) => isCharged),
      answerable.length,
    ),
    "wrong of charged": share(
      count(charged, ({ isGood }) => !isGood),
      charged.length,
    ),
    "titles cited": share(
      count(titles, ({ isShown, isRight }) => isShown && isRight),
      titles.length,
    ),
    "to decline": declinable.length,
    "not charged": share(
      count(declinable, ({ isCharged }) => !isCharged),
      declinable.length,
    ),
    "not shown": share(
      count(declinable, ({ isShown }) => !isShown),
      declinable.length,
    ),
    "nothing quoted": share(
      count(declinable, ({ isQuoted }) => !isQuoted),
      declinable.length,
    ),
    "unsure characters": Math.round(share(sumOf(unsure), unsure.length)), // Mean length of an answer that is shown unsurely.
    all: share(
      count(results, ({ isGood }) => isGood),
      results.length,
    ),
  };
}
