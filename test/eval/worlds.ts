import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Passage } from "../../src/assistant/passage.ts";
import type { Language } from "../../src/contract/schemas/shared-fields.ts";

/** A labelled question over a world's content. */
export interface WorldQuestion {
  readonly id: string;
  readonly lang: Language;
  readonly kind: string;
  readonly question: string;
  /** Earlier questions of the conversation, oldest first. */
  readonly after?: readonly string[];
  readonly outcome: "answer" | "decline" | "account" | "smalltalk";
  /** Articles that answer it; all of them are needed where `all` is set, else any. */
  readonly gold: readonly string[];
  readonly all?: boolean;
  /** A good answer contains one spelling of each fact. */
  readonly facts: readonly (readonly string[])[];
}

/** A company's content and the questions that its users ask. */
export interface World {
  readonly name: string;
  readonly passages: readonly Passage[];
  readonly tuning: readonly WorldQuestion[];
  readonly heldOut: readonly WorldQuestion[];
}

interface Article {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly lang?: string;
  readonly updated_at?: string;
  readonly published_at?: string;
  readonly symbols?: readonly string[];
}

function jsonOf<T>(path: string, fallback: T): T {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : fallback;
}

function questionsOf(path: string): WorldQuestion[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as WorldQuestion]));
}

/** The companies that the outcomes are fitted on: the demo's exchange, a bank, a payment app, an online broker. */
export const TUNED = ["demo", "bank", "wallet", "broker"] as const;
/** And a mobile phone company and a second exchange, on which nothing is tuned. */
export const WORLDS = [...TUNED, "telecom", "exchange"] as const;

const FIXTURES = join(import.meta.dirname, "../../fixtures");

/** Reads a world. The demo's content is that of the demo. */
export function readWorld(name: (typeof WORLDS)[number]): World {
  const questions = join(FIXTURES, "eval", name);
  const content = name === "demo" ? join(FIXTURES, "demo") : questions;
  const help = (["en", "zh"] as const).flatMap((lang) =>
    jsonOf<{ articles: Article[] }>(join(content, "help", `${lang}.json`), { articles: [] }).articles.map((article) =>
      passageOf("help", { ...article, lang: article.lang ?? lang }),
    ),
  );
  const notices = jsonOf<{ notices: Article[] }>(join(content, "notices.json"), { notices: [] }).notices;
  return {
    name,
    passages: [...help, ...notices.map((notice) => passageOf("notice", notice))],
    tuning: questionsOf(join(questions, "questions.tuning.jsonl")),
    heldOut: questionsOf(join(questions, "questions.held-out.jsonl")),
  };
}

function passageOf(kind: "help" | "notice", article: Article): Passage {
  const { id, title, body, url, lang = "en", symbols } = article;
  const published_at = article.published_at ?? article.updated_at ?? null;
  return { id, kind, title, text: body, url, lang, published_at, ...(symbols === undefined ? {} : { symbols }) };
}
