import { MIN_CONFIDENCE, type Answer, type AnswerRequest, type Route, type Routing } from "../answer.ts";
import { LIMITS } from "../../contract/field-bounds.ts";
import type { AnswerIndex } from "../retrieval/answer-index.ts";
import type { Findings } from "../retrieval/find-evidence.ts";
import { fold } from "../../language/tokenize.ts";
import { assetsInQuestion } from "../../language/assets.ts";
import { DAY_MS, toIso } from "../../runtime/clock.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./account-patterns.json" with { type: "json" };
import { isOfOther, isOfOtherBrand, lacksFact } from "./asked-facts.ts";
import { chosenTitle, names } from "./chosen-title.ts";
import { isKind, routeQuestion, withoutState } from "../routing/router.ts";
import { answerAbout, answerTrusted, declined, draft, quote, searchFor, type Draft } from "./evidence-answer.ts";
import { answerLatest, asksForLatest, isRuleOrState } from "./latest-answer.ts";
import { ordinalOf } from "./ordinals.ts";
import { periodOf } from "./period.ts";
import { partsOf } from "./question-parts.ts";
import { asUnsure, ONLY_NOW, REPLIES, smallTalk } from "./replies.ts";

/** A question's final routing, and its answer before a model is called. */
export interface PreparedAnswer extends Pick<Draft, "forModel"> {
  readonly routing: Routing;
  readonly answer?: Answer; // Absent if the service answers from its own figures: account and market.
  readonly by?: "rule" | "latest" | "evidence" | "parts"; // What produced the answer.
  readonly parts?: readonly (PreparedAnswer & Pick<AnswerRequest, "question" | "history">)[]; // Of several questions in one.
}

const ADVICE = "investment_advice";
const STATE_MS = 14 * DAY_MS; // Maximum age of a notice that reports the state of a feature.
const SAYS = patternsOf(PATTERNS, "i");
const MY = /\bmy (?=([\p{L}\d]+))/iu;

/** Answers from the evidence in help, notices and news, except for questions about the caller's own account, small talk,
 * requests for advice, and the market. The router's route decides only if no article answers the question. */
export function prepareAnswer(given: AnswerRequest, index: AnswerIndex): PreparedAnswer {
  const chosen = chosenTitle(given.question, given.history);
  const routing = chosen === undefined ? given.routing : { ...given.routing, lang: chosen.lang };
  const request = chosen === undefined ? given : { ...given, routing, question: chosen.title, near: undefined };
  if (request.about !== undefined) {
    const suggested = answerAbout(request, index);
    const { about: _about, ...unsuggested } = given;
    if (suggested === undefined) return prepareAnswer(unsuggested, index);
    const { kind, category } = suggested.from;
    return withRouting(suggested.found, routeTo(kind, routing), "evidence", category);
  }
  const isTitle = chosen !== undefined || index.titled(request.question).some(({ passage }) => passage.kind !== "news");
  if (!isTitle && isForService(request, index)) return leaveToService(request);
  const plain = isTitle ? undefined : answerPlainly(request);
  if (plain !== undefined) return withRouting(plain, routing, "rule");
  const ofNews = { ...request, routing: routing.route === "notice" ? routing : routeTo("news", routing) };
  if (!isTitle && asksForLatest(request))
    return withRouting(answerLatest(ofNews, index), ofNews.routing, "latest", "latest");
  const state = isTitle ? undefined : answerState(request, index);
  if (state !== undefined) return state;
  const parts = isTitle ? [] : answerParts(request, index);
  const combined = combineParts(parts, request);
  if (combined !== undefined) return combined;
  const { question, history } = request;
  const { findings, found } = answerTrusted(request, index, !isTitle && isKind("news", question));
  const isSame = history.at(-1)?.answer === found.text && history.at(-1)?.question !== question; // Repeats the previous answer.
  // An article gives only the rule for a calculation, or for the caller's own things.
  const isRule = request.hasModel !== true && (isKind("calculation", question) || isKind("ownRecord", question));
  const said = [found.text, ...found.sources.map(({ title }) => title)].join("\n");
  const isOther = (): boolean => isOfOther(question, found.sources[0]!, request.now, request.zone);
  const isLacking = (): boolean =>
    isKind("state", question.replace(MY, "")) || lacksPart(parts, found, said) || lacksFact(question, said);
  const cited = `${said}\n${findings.evidence[0]?.article.found.passage.text}`;
  const isAside = (): boolean => isRule || isOther() || isLacking() || isOfOtherBrand(question, cited, index.indexed());
  const isDoubtful = found.outcome === "answered" && (isSame || (!isTitle && isAside()));
  return settle(isDoubtful ? asUnsure(found, routing.lang) : found, findings, request, index);
}

/** Answers whether something works now from recent notices whose titles state that: surely if the newest is about exactly
 * this and reports no end of it. Undefined without such notices. */
function answerState(request: AnswerRequest, index: AnswerIndex): PreparedAnswer | undefined {
  const { now, routing } = request;
  const question = request.question.replace(MY, "");
  if (!isKind("state", question)) return undefined;
  const own = MY.exec(request.question)?.[1];
  const thing = withoutState(question);
  const isOfAsset = assetsInQuestion(question).size > 0;
  const told = index.indexed().flatMap(({ passage }) => {
    const { kind, title, published_at, symbols = [] } = passage;
    const age = now - Date.parse(published_at ?? "");
    const isRecent = kind === "notice" && age >= 0 && age <= STATE_MS;
    // "My" and a word may be a name: "My Lark is down".
    const mine = Array.from(title.matchAll(/\bMy ([\p{L}\d]+)/gu), ([, name = ""]) => fold(name));
    const isState = isRecent && isKind("stateTitle", title) && (own === undefined || mine.includes(fold(own)));
    const isOfSymbol = isState && symbols.some((symbol) => names(thing, symbol) && names(title, symbol));
    const isOfThing = isState && (isOfAsset || symbols.length === 0) && names(title, thing);
    return isOfSymbol || isOfThing ? [{ ...passage, age }] : [];
  });
  const [newest] = told.sort((a, b) => a.age - b.age);
  if (newest === undefined) return undefined;
  const { id, title, text } = newest;
  const isSure = names(thing, withoutState(title)) && !isKind("stateOver", `${title}\n${text}`);
  const findings = searchFor({ ...request, about: isSure ? [id] : told.map((notice) => notice.id) }, index);
  if (findings.evidence.length === 0) return undefined;
  return withRouting(quote(isSure ? "answered" : "unsure", findings, request), routeTo("notice", routing));
}

/** Answers the parts of a compound question separately. */
function answerParts(request: AnswerRequest, index: AnswerIndex) {
  const asked = request.wide || request.isPart === true ? [] : partsOf(request.question);
  return asked.map(({ question, thing }, at) => {
    const before = thing === undefined ? asked.slice(0, at) : [];
    const history = [...request.history, ...before.map((one) => ({ question: one.question, answer: "" }))];
    const routing = { ...routeQuestion(question, { history }), lang: request.routing.lang };
    const part = { ...request, question, history, routing, near: undefined, isPart: true };
    return { question, thing, history, ...prepareAnswer(part, index) };
  });
}

/** Whether an answer to a whole lacks one of several questions: another article answers that one, or none surely and the
 * answer has too few of its words. */
const lacksPart = (parts: ReturnType<typeof answerParts>, { sources: [first] }: Draft, said: string): boolean =>
  parts.some(({ thing, question, routing: { lang }, answer }) => {
    const isSaid = answer?.outcome === "answered" || names(said, question, { zh: 0.25, en: 0.7 }[lang]);
    return thing === undefined && (!isSaid || answer?.sources[0]?.id !== first?.id);
  });

/** Combines the answers of parts. Undefined if a part has no answer (or only an offer while none is sure), if two parts
 * share an article, or if one of several things has neither a sure answer nor a title that names it. */
function combineParts(parts: ReturnType<typeof answerParts>, request: AnswerRequest): PreparedAnswer | undefined {
  if (parts.length === 0) return undefined;
  const all = parts.flatMap(({ answer }) => answer ?? []);
  const articles = new Set(all.map(({ sources }) => sources[0]?.id));
  const outcomes = new Set(all.map(({ outcome }) => outcome));
  const isUnlike = outcomes.has("declined") || (outcomes.has("offered") && !outcomes.has("answered"));
  const isVague = parts.some(({ thing, answer: { outcome, sources } = all[0]! }) => {
    return thing !== undefined && outcome !== "answered" && (outcome === "offered" || !names(sources[0]?.title, thing));
  });
  if (isUnlike || isVague || articles.size < parts.length) return undefined;
  const together = { text: all.map(({ text }) => text).join("\n\n"), sources: all.flatMap(({ sources }) => sources) };
  const outcome = outcomes.size === 1 ? all[0]!.outcome : "unsure";
  const excerpts = parts.flatMap(({ forModel }) => forModel?.excerpts ?? []);
  const forModel = excerpts.length > 0 && { forModel: { excerpts, otherwise: declined(request) } };
  return { routing: all[0]!.routing, by: "parts", parts, answer: { ...all[0]!, ...together, outcome }, ...forModel };
}

/** Labels help and notices with the operator's category, since the router's sub-intents are those of one industry. */
function withRouting(found: Draft, given: Routing, by: PreparedAnswer["by"] = "evidence", category = "") {
  const { forModel, ...answer } = found;
  const isOperators = given.route === "help" || given.route === "notice";
  const isOfFigures = given.route === "account" || given.route === "market"; // These would be answered with figures.
  const labelled = isOperators ? { ...given, sub_intent: category.slice(0, LIMITS.label) || "general" } : given;
  const routing = isOfFigures ? routeTo("out_of_scope", given) : labelled;
  return { routing, by, answer: { ...answer, routing }, ...(forModel && { forModel }) };
}

function answerPlainly({ question, routing, history }: AnswerRequest): Draft | undefined {
  const { route, sub_intent, lang, confidence } = routing;
  if (ordinalOf(question) !== undefined || (history.length === 0 && isKind("followUp", question)))
    return draft(REPLIES.askBack[lang], "declined");
  if (isKind("sum", question)) return draft(REPLIES.notFound[lang], "declined");
  if (sub_intent === ADVICE && (confidence === 1 || assetsInQuestion(question).size > 0))
    return draft(REPLIES.investmentAdvice[lang], "declined");
  return route === "small_talk" && confidence === 1 ? draft(smallTalk(sub_intent, lang), "answered") : undefined;
}

/** @param outcome of the search, if it has found no sure answer; before the search, the route must be certain */
function isForService({ question, routing }: AnswerRequest, index: AnswerIndex, outcome?: Answer["outcome"]): boolean {
  const { route, sub_intent, confidence } = routing;
  const folded = fold(question);
  if (route === "account") {
    if (isKind("othersRecord", question) || (outcome ? 1 : confidence) < MIN_CONFIDENCE) return false;
    const isOfProgramme = (text: string): boolean => SAYS.programme.test(fold(text));
    const ofProgramme = isOfProgramme(folded) && outcome !== "declined" ? index.indexed() : [];
    if (ofProgramme.some(({ passage }) => passage.kind === "help" && isOfProgramme(passage.title))) return false;
    return SAYS.account.test(folded) && SAYS.own.test(folded) && !SAYS.rule.test(folded);
  }
  const isOfNoAsset = sub_intent === "price" && assetsInQuestion(question).size === 0;
  return route === "market" && confidence >= (outcome && !isOfNoAsset ? MIN_CONFIDENCE : 1);
}

/** Leaves a question to the service, which has the figures; for the market it has only the current ones. */
function leaveToService({ question, routing, now, zone }: AnswerRequest): PreparedAnswer {
  const isNow = periodOf(question, now, zone)?.({ published_at: toIso(now) }) ?? true;
  if (routing.route !== "market" || isNow) return { routing };
  return withRouting(draft(ONLY_NOW[routing.lang], "declined"), routing, "rule");
}

function settle(found: Draft, findings: Findings, request: AnswerRequest, index: AnswerIndex): PreparedAnswer {
  const { routing, question } = request;
  const { route, sub_intent, lang, confidence } = routing;
  const { outcome, sources } = found;
  const best = findings.evidence[0]?.article.found.passage;
  if (outcome !== "answered") {
    if (isKind("othersRecord", question)) return withRouting(draft(REPLIES.ownOnly[lang], "declined"), routing, "rule");
    if (isForService(request, index, outcome)) return leaveToService(request);
    if (sub_intent === ADVICE && (confidence === 1 || outcome === "declined"))
      return withRouting(draft(REPLIES.investmentAdvice[lang], "declined"), routing, "rule");
    if (outcome !== "unsure" && route === "small_talk" && confidence >= MIN_CONFIDENCE)
      return withRouting(draft(smallTalk(sub_intent, lang), "answered"), routing, "rule");
    if ((route === "news" || route === "notice") && !isRuleOrState(question)) {
      const latest = answerLatest(request, index);
      // News that the search did not find may not answer the question.
      const isSure = latest.outcome === "answered" && route !== "news" && isKind("notice", question);
      // A notice that is only new does not replace an article that may answer.
      const isNew = route === "notice" && outcome === "unsure" && best?.kind === "help" && !isKind("notice", question);
      if (latest.outcome !== "declined" && (!isNew || names(latest.sources[0]?.title, question, 0.25)))
        return withRouting(isSure ? latest : asUnsure(latest, lang), routing, "latest", "latest");
    }
  }
  if (sources.length > 0 && best !== undefined)
    return withRouting(found, routeTo(best.kind, routing), "evidence", best.category);
  return withRouting(found, route === "small_talk" ? routeTo("out_of_scope", routing) : routing);
}

const routeTo = (route: Route, routing: Routing): Routing =>
  routing.route === route ? routing : { ...routing, route, sub_intent: "general" };
