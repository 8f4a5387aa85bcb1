import type { z } from "zod";
import facts from "./endpoints.json" with { type: "json" };
import type { ErrorCode } from "./errors.ts";
import * as assistant from "./schemas/assistant-schemas.ts";
import * as events from "./schemas/event-schemas.ts";
import * as news from "./schemas/news-schemas.ts";
import * as points from "./schemas/points-schemas.ts";

/** Groups of operations. The operations of a group share a rate limit. */
export type RateGroup = "account" | "chat" | "events" | "points" | "public" | "refresh";

/** One endpoint of the interface, as data; `documentation.json` describes it. */
export interface Endpoint {
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly tag: "Accounts" | "Assistant" | "News" | "Points" | "Events";
  readonly auth: "required" | "optional" | "none"; // Of a valid X-User-Token header; with `none` it is ignored.
  readonly stability?: "experimental"; // `stable` when left out.
  readonly rate: RateGroup;
  /** Error codes besides those derived from the other fields (`codesOf`); by default 500 and 503. An endpoint without
   * 503 needs no storage, or has another code for an unreachable one. */
  readonly errors?: readonly ErrorCode[];
  readonly max_age_s?: number; // Cache lifetime of a success, which has an ETag for If-None-Match.
  readonly idempotent?: true; // Whether an Idempotency-Key header makes a retry safe.
  readonly keeps_body?: true; // Whether the body is stored as sent: values that JavaScript would change are refused.
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly data: z.ZodObject; // The envelope's `data` on success.
}

const OPERATIONS = {
  getMe: { path: "/api/v1/ai/me", data: points.quotaProfile },
  getRecommendedQuestions: {
    path: "/api/v1/ai/recommended-questions",
    query: assistant.recommendedQuery,
    data: assistant.recommendedQuestions,
  },
  sendChat: { path: "/api/v1/ai/chat/send", body: assistant.chatBody, data: assistant.chatAnswer },
  recordEvent: { path: "/api/v1/ai/events", body: events.eventBody, data: events.eventRecord },
  getHotTopics: { path: "/api/v1/ai/hot-topics", query: news.hotTopicsQuery, data: news.hotTopics },
  getNewsHot: { path: "/api/v1/news/hot", query: news.newsHotQuery, data: news.newsList },
  getNewsTopics: { path: "/api/v1/news/topics", query: news.topicsQuery, data: news.topicList },
  refreshNews: { path: "/api/v1/news/refresh", query: news.refreshQuery, data: news.refreshResult },
  getPoints: { path: "/api/v1/ai/points", data: points.pointsAccount },
  getLedger: { path: "/api/v1/ai/points/ledger", query: points.ledgerQuery, data: points.ledgerPage },
  exchangePoints: { path: "/api/v1/ai/points/exchange", body: points.exchangeBody, data: points.exchangeResult },
  getSubscription: { path: "/api/v1/ai/subscription", data: points.subscription },
  postTradeReward: { path: "/api/v1/ai/points/trade-reward", body: points.tradeRewardBody, data: points.tradeReward },
} as const;

export type OperationId = keyof typeof OPERATIONS;
type EndpointFacts = Omit<Endpoint, "path" | "query" | "body" | "data">;

/** The interface: 13 endpoints. Routes, the checks of requests and the OpenAPI document are made from this table. */
export const ENDPOINTS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([id, schemas]) => [id, { ...facts[id as OperationId], ...schemas }]),
) as { readonly [K in OperationId]: EndpointFacts & (typeof OPERATIONS)[K] };

/** The endpoint at a path of the API, whatever the method. */
export const endpointAt = (path: string): Endpoint | undefined =>
  Object.values<Endpoint>(ENDPOINTS).find((endpoint) => endpoint.path === path);

const EVERYWHERE: readonly ErrorCode[] = [400, 404, 405, 408, 417, 429, 431];

/** All codes of the error catalogue that an endpoint may return, in ascending order. */
export function codesOf({ auth, query, body, errors = [500, 503] }: Endpoint): readonly ErrorCode[] {
  const ofToken: readonly ErrorCode[] = auth === "required" ? [401] : [];
  const ofInput: readonly ErrorCode[] = body !== undefined ? [413, 415, 422] : query !== undefined ? [422] : [];
  return [...EVERYWHERE, ...ofToken, ...ofInput, ...errors].sort((a, b) => a - b);
}

/** The validated input of an operation. */
export type OperationInput<K extends OperationId> = {
  readonly [P in "query" | "body"]: (typeof ENDPOINTS)[K] extends Record<P, infer S extends z.ZodType>
    ? z.output<S>
    : undefined;
};

/** The `data` of an operation's success. */
export type OperationData<K extends OperationId> = z.output<(typeof ENDPOINTS)[K]["data"]>;
