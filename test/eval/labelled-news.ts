import { readdirSync, readFileSync } from "node:fs";
import { sentimentOf } from "../../src/news/sentiment/sentiment-model.ts";
import { assetsInNews } from "../../src/language/assets.ts";
import { detectLanguage } from "../../src/language/detect-language.ts";
import { clusterHeadlines } from "../../src/news/topics/cluster.ts";
import type { Headline } from "../../src/news/topics/headline-memory.ts";
import { markedLines } from "./marked-lines.ts";
import { type ClusterScores, scoreClusters } from "./news-metrics.ts";

/** Which part of a labelled set: rules are adjusted on the first, figures are reported on the second. */
export type Split = "tuning" | "held";

/** The first set of labels, the second, which was written when the rules were tuned to the first, a third of sentiment and
 * pairs, a fourth, a fifth and a sixth of pairs. */
export type Part = 1 | 2 | 3 | 4 | 5 | 6;
export const HEADLINE_PARTS: readonly Part[] = [1, 2];
export const SENTIMENT_PARTS: readonly Part[] = [...HEADLINE_PARTS, 3];
export const PARTS: readonly Part[] = [...SENTIMENT_PARTS, 4, 5, 6];

interface LabelledHeadline {
  readonly id: string;
  readonly event: string;
  readonly language: "zh" | "en";
  readonly title: string;
  readonly published_at: string;
  readonly split: Split;
  readonly part?: Part; // The first if absent.
}

interface LabelledPair {
  readonly id: string;
  readonly language: string;
  readonly kind: string;
  readonly a: string;
  readonly b: string;
  readonly same: boolean;
  readonly split: Split;
  readonly part?: Part; // The first if absent.
}

interface LabelledTitle {
  readonly id: string;
  readonly language: "zh" | "en";
  readonly title: string;
  readonly label: string;
  readonly kind: string;
  readonly split: Split;
  readonly part?: Part; // The first if absent.
}

function read<T extends { split: Split; part?: Part }>(name: string, split: Split, part: Part): T[] {
  const file = new URL(`../../fixtures/eval/news/${name}.json`, import.meta.url);
  const entries = JSON.parse(readFileSync(file, "utf8")) as T[];
  return entries.filter((entry) => entry.split === split && (entry.part ?? 1) === part);
}

function headlineOf(title: string, at: number): Headline {
  return { title, summary: "", lang: detectLanguage(title), assets: assetsInNews(title), at };
}

/** The labelled headlines of a part, both languages. */
export const headlinesOf = (split: Split, part: Part): Headline[] =>
  read<LabelledHeadline>("headlines", split, part).map(({ title, published_at }) =>
    headlineOf(title, Date.parse(published_at)),
  );

/** @param refreshes in which the headlines come, the oldest first; the groups are continued from one to the next */
async function labelsOf(headlines: readonly Headline[], refreshes = 1): Promise<string[]> {
  const order = Array.from(headlines.keys()).sort((a, b) => headlines[a]!.at - headlines[b]!.at);
  const labels: string[] = [];
  for (let refresh = 1; refresh <= refreshes; refresh++) {
    const come = order.slice(0, Math.ceil((order.length * refresh) / refreshes));
    const known = refresh === 1 ? undefined : come.map((index) => labels[index]);
    const sorted = come.map((index) => headlines[index]!);
    const groups = await clusterHeadlines(sorted, undefined, undefined, known);
    for (const [label, members] of groups.entries()) for (const at of members) labels[come[at]!] = String(label);
  }
  return labels;
}

/** Of headlines whose event has headlines in the other language: the share in a topic with one, or with one of another event. */
interface AcrossScores {
  readonly joined: number;
  readonly wrong: number;
}

export interface HeadlineScores {
  readonly zh: ClusterScores;
  readonly en: ClusterScores;
  readonly both: ClusterScores;
  readonly across: AcrossScores;
  /** Titles of topics that hold several events, and events in several topics. */
  readonly mistakes: readonly string[];
}

/** Clusters the labelled headlines, each language by itself and both together, at once or as they come. */
export async function scoreHeadlines(split: Split, part: Part, refreshes = 1): Promise<HeadlineScores> {
  const all = read<LabelledHeadline>("headlines", split, part);
  const score = async (entries: readonly LabelledHeadline[]): Promise<{ labels: string[]; scores: ClusterScores }> => {
    const labels = await labelsOf(
      entries.map(({ title, published_at }) => headlineOf(title, Date.parse(published_at))),
      refreshes,
    );
    return {
      labels,
      scores: scoreClusters(
        labels,
        entries.map(({ event }) => event),
      ),
    };
  };
  const of = (language: string): LabelledHeadline[] => all.filter((entry) => entry.language === language);
  const [zh, en, both] = [await score(of("zh")), await score(of("en")), await score(all)];
  return {
    zh: zh.scores,
    en: en.scores,
    both: both.scores,
    across: acrossOf(all, both.labels),
    mistakes: mistakesOf(all, both.labels),
  };
}

function acrossOf(all: readonly LabelledHeadline[], labels: readonly string[]): AcrossScores {
  let [candidates, joined, wrong] = [0, 0, 0];
  for (const [index, { event, language }] of all.entries()) {
    const others = all.flatMap((other, at) => (other.language === language ? [] : [{ ...other, label: labels[at] }]));
    const together = others.filter(({ label }) => label === labels[index]);
    if (together.some((other) => other.event !== event)) wrong += 1;
    if (!others.some((other) => other.event === event)) continue;
    candidates += 1;
    if (together.some((other) => other.event === event)) joined += 1;
  }
  return { joined: joined / candidates, wrong: wrong / all.length };
}

function mistakesOf(all: readonly LabelledHeadline[], labels: readonly string[]): string[] {
  const topics = new Map<string, number[]>();
  for (const [index, label] of labels.entries()) topics.set(label, [...(topics.get(label) ?? []), index]);
  return Array.from(topics.values(), (members) => {
    const lines = members.map((index) => `  ${all[index]!.event}: ${all[index]!.title}`);
    return ["topic", ...lines].join("\n");
  });
}

/** An event as outlets report it, headlines that copy one of these with small changes, and of other events that are worded
 * almost the same; the model of a copy by its place. */
interface LabelledGroup {
  readonly split: Split;
  readonly en: readonly string[];
  readonly zh: readonly string[];
  readonly near_en: readonly (readonly [kind: string, title: string])[];
  readonly near_zh: readonly (readonly [kind: string, title: string])[];
  readonly copies_en: readonly (readonly [model: number, title: string])[];
  readonly copies_zh: readonly (readonly [model: number, title: string])[];
}

/** Shares of pairs of titles that end in one topic, each pair by itself. */
export interface GroupScores {
  readonly near: number; // Of one of another event with that headline of the event which is most like it.
  readonly copies: number; // Of a copy with its model.
  readonly reworded: number; // Of two headlines of an event, in one language.
}

/** How the groups were written: by three authors who wrote six titles an event, or by seven others who wrote four, or later by
 * five more, or last by sixteen, without copies. */
export type GroupsPart = 1 | 2 | 3 | 4;
const FOLDERS = { 2: "groups/", 3: "groups-later/", 4: "groups-contrasts/" };

function readGroups(split: Split, part: GroupsPart): LabelledGroup[] {
  if (part !== 1) return readShortGroups(split, FOLDERS[part]);
  const lines = readFileSync(new URL("../../fixtures/eval/news/groups.jsonl", import.meta.url), "utf8").trimEnd();
  const all = lines.split("\n").map((line) => JSON.parse(line) as LabelledGroup);
  return all.filter((group) => group.split === split);
}

const EACH = 5; // Of the other parts every fifth group is clustered: all would take minutes.

function readShortGroups(split: Split, name: string): LabelledGroup[] {
  const folder = new URL(`../../fixtures/eval/news/${name}`, import.meta.url);
  const blocks = readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(new URL(file, folder), "utf8").split(/^=\n/m).slice(1));
  const chosen = blocks.filter(
    (_, at) => (at % 3 === 2 ? "held" : "tuning") === split && Math.floor(at / 3) % EACH === 0,
  );
  return chosen.map((block) => {
    const lines = block.trimEnd().split("\n");
    const said = (mark: string): string[] => markedLines(lines, mark);
    const [en, zh, near] = [said("e"), said("z"), said("n").map((line) => line.split("\t") as [string, string])];
    const [copyEn, copyZh] = said("k");
    const copyOf = (copy: string | undefined, all: readonly string[]) =>
      copy === undefined ? [] : [[all.indexOf(mostLike(copy, all)), copy] as const];
    const nearOf = (side: 0 | 1) => near.map((titles) => ["near", titles[side]] as const);
    const copies = { copies_en: copyOf(copyEn, en), copies_zh: copyOf(copyZh, zh) };
    return { split, en, zh, near_en: nearOf(0), near_zh: nearOf(1), ...copies };
  });
}

async function shareOfOneTopic(pairs: readonly (readonly [string, string])[]): Promise<number> {
  let together = 0;
  for (const [a, b] of pairs) if (await isOneTopic(a, b)) together += 1;
  return together / (pairs.length || 1);
}

/** Clusters pairs of the labelled groups of one language. */
export async function scoreGroups(split: Split, language: "en" | "zh", part: GroupsPart = 1): Promise<GroupScores> {
  const groups = readGroups(split, part);
  const own = (group: LabelledGroup): readonly string[] => group[language];
  const near = groups.flatMap((g) => g[`near_${language}`].map(([, near]) => [mostLike(near, own(g)), near] as const));
  const copies = groups.flatMap((g) => g[`copies_${language}`].map(([at, copy]) => [own(g)[at]!, copy] as const));
  const reworded = groups.flatMap((g) =>
    own(g).flatMap((a, at) =>
      own(g)
        .slice(at + 1)
        .map((b) => [a, b] as const),
    ),
  );
  return {
    near: await shareOfOneTopic(near),
    copies: await shareOfOneTopic(copies),
    reworded: await shareOfOneTopic(reworded),
  };
}

/** Clusters pairs of an English and a Chinese title of the labelled groups: of one event, and of two that are near. */
export async function scoreAcross(split: Split, part: GroupsPart): Promise<Pick<GroupScores, "near" | "reworded">> {
  const groups = readGroups(split, part);
  const reworded = groups.flatMap((g) => g.en.map((a, at) => [a, g.zh[at % g.zh.length]!] as const));
  const near = groups.flatMap((g) => g.near_zh.map(([, title], at) => [g.en[at % g.en.length]!, title] as const));
  return { near: await shareOfOneTopic(near), reworded: await shareOfOneTopic(reworded) };
}

/** The title that has the most triples of characters in common with one (Jaccard). */
function mostLike(title: string, others: readonly string[]): string {
  const triplesOf = (text: string): Set<string> =>
    new Set(Array.from({ length: text.length - 2 }, (_, at) => text.toLowerCase().slice(at, at + 3)));
  const triples = triplesOf(title);
  const likeness = (other: string): number => {
    const own = triplesOf(other);
    const shared = Array.from(own).filter((triple) => triples.has(triple)).length;
    return shared / (own.size + triples.size - shared || 1);
  };
  return others.toSorted((a, b) => likeness(b) - likeness(a))[0]!;
}

/** Whether two titles an hour apart end in one topic. */
async function isOneTopic(a: string, b: string): Promise<boolean> {
  const start = Date.parse("2026-10-15T12:00:00Z");
  const [first, second] = await labelsOf([headlineOf(a, start), headlineOf(b, start + 3_600_000)]);
  return first === second;
}

export interface PairScores {
  /** Shares of the pairs that end in one topic: of those that must not, and of those that should. */
  readonly merged: number;
  readonly joined: number;
  readonly mistakes: readonly string[];
}

/**
 * Clusters pairs of titles an hour apart: each pair by itself, or all of them in the company of the labelled headlines
 * (`among`), days apart from each other.
 */
export async function scorePairs(split: Split, part: Part, among: boolean, language?: string): Promise<PairScores> {
  const pairs = read<LabelledPair>("traps", split, part).filter(
    (pair) => language === undefined || pair.language === language,
  );
  const start = Date.parse("2026-10-15T12:00:00Z");
  const isTogether: boolean[] = [];
  if (among) {
    const others = read<LabelledHeadline>("headlines", split, part);
    const labels = await labelsOf([
      ...pairs.flatMap(({ a, b }) => [headlineOf(a, start), headlineOf(b, start + 3_600_000)]),
      ...others.map(({ title, published_at }) => headlineOf(title, Date.parse(published_at))),
    ]);
    for (const index of pairs.keys()) isTogether.push(labels[2 * index] === labels[2 * index + 1]);
  } else {
    for (const { a, b } of pairs) isTogether.push(await isOneTopic(a, b));
  }
  const share = (same: boolean): number => {
    const of = pairs.filter((pair) => pair.same === same).length;
    return pairs.filter((pair, index) => pair.same === same && isTogether[index]).length / (of || 1);
  };
  return {
    merged: share(false),
    joined: share(true),
    mistakes: pairs
      .filter(({ same }, index) => same !== isTogether[index])
      .map(({ kind, a, b, same }) => `${same ? "apart" : "merged"} ${kind}: ${a} / ${b}`),
  };
}

export interface SentimentScores {
  readonly accuracy: number;
  /** Mean of the F1 of the three labels. */
  readonly macroF1: number;
  readonly mistakes: readonly string[];
}

/** Sentiment of the labelled titles of one language. */
export function scoreSentiment(split: Split, part: Part, language: "zh" | "en"): SentimentScores {
  const titles = read<LabelledTitle>("sentiment", split, part).filter((entry) => entry.language === language);
  const found = titles.map((entry) => ({ ...entry, found: sentimentOf(entry.title, "") }));
  const f1 = ["positive", "neutral", "negative"].map((label) => {
    const right = found.filter((entry) => entry.found === label && entry.label === label).length;
    const sum =
      found.filter((entry) => entry.found === label).length + found.filter((entry) => entry.label === label).length;
    return (2 * right) / (sum || 1);
  });
  return {
    accuracy: found.filter((entry) => entry.found === entry.label).length / titles.length,
    macroF1: f1.reduce((sum, one) => sum + one, 0) / f1.length,
    mistakes: found
      .filter((entry) => entry.found !== entry.label)
      .map((entry) => `${entry.kind}: ${entry.label} found ${entry.found}: ${entry.title}`),
  };
}
