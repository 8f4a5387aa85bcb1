import { assetsInQuestion } from "../../language/assets.ts";
import type { AnswerRequest } from "../answer.ts";
import { findEvidence } from "./evidence.ts";
import { isAbout, isAboutAsset, isOf, listHeadlines, listOpenings, newest } from "./headlines.ts";
import { answerFromPassages, answerWithModel, extractFrom, notFound, quote } from "./passage-answer.ts";
import type { AnswerTask, Outcome } from "./passage-answer.ts";
import { LEADS } from "./replies.ts";

/** Least confidence in a request for the latest items when the question contains words that no item does. */
const MIN_LIST_CONFIDENCE = 0.9;
/** Number of headlines in a list; of notices on one subject, which are quoted by their first sentence. */
const HEADLINES = { narrow: 5, wide: 10 };
const OPENINGS = { narrow: 3, wide: 6 };

/** A question that names a subject is answered by sentences about it; any other by the newest items. */
export async function answerLatest(kind: "news" | "notice", task: AnswerTask): Promise<Outcome> {
  const { request, index, model } = task;
  const { sub_intent, confidence } = request.routing;
  const evidence = findEvidence(request, index, kind);
  if (!evidence.distinctive) return listNewest(kind, task);
  if (model !== undefined) return answerFromPassages(kind, task);
  const found = extractFrom(evidence, "usual", task);
  if (found !== undefined) return found;
  const listable = assetsOf(request).size > 0 || (sub_intent !== "topic" && confidence >= MIN_LIST_CONFIDENCE);
  return listable ? listNewest(kind, task) : notFound(kind, task);
}

/** A list of the newest of a kind; with a model, its summary of them. */
async function listNewest(kind: "news" | "notice", task: AnswerTask): Promise<Outcome> {
  const { routing, wide, now } = task.request;
  const { lang, sub_intent } = routing;
  const assets = assetsOf(task.request);
  const related = assets.size > 0 ? isAboutAsset(assets) : isAbout(sub_intent);
  const narrowed = assets.size > 0 || (kind === "notice" && sub_intent !== "latest");
  const ofKind = isOf(kind, lang);
  const limits = narrowed && kind === "notice" ? OPENINGS : HEADLINES;
  const limit = wide ? limits.wide : limits.narrow;
  const items = newest(task.index, now, limit, (passage) => ofKind(passage) && (!narrowed || related(passage)));
  if (items.length === 0) return notFound(kind, task);
  const generated = await answerWithModel(kind, items, task);
  if (generated !== undefined) return generated;
  if (narrowed && kind === "notice") return quote(listOpenings(items));
  const lead = kind === "notice" ? LEADS.latestNotices : narrowed ? LEADS.relatedNews : LEADS.latestNews;
  return quote(listHeadlines(items, lead[lang]));
}

/** The assets a question is about: those it names, else the one of the user's page. */
function assetsOf({ question, token_symbol }: AnswerRequest): ReadonlySet<string> {
  const named = assetsInQuestion(question);
  return named.size > 0 || token_symbol === undefined ? named : new Set([token_symbol.toUpperCase()]);
}
