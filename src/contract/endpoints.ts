import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import * as assistant from "./schemas/assistant-schemas.ts";
import * as events from "./schemas/event-schemas.ts";
import * as news from "./schemas/news-schemas.ts";
import * as points from "./schemas/points-schemas.ts";

/** Groups of operations. The operations of a group share a rate limit. */
export const RATE_GROUPS = ["account", "chat", "events", "points", "public", "refresh"] as const;

export type RateGroup = (typeof RATE_GROUPS)[number];

/** One endpoint of the interface, as data; `documentation.json` describes it. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly tag: "Accounts" | "Assistant" | "News" | "Points" | "Events";
  /** Whether a valid X-User-Token header is required, optional, or ignored. */
  readonly auth: "required" | "optional" | "none";
  /** `stable` when left out. */
  readonly stability?: "experimental";
  readonly rate: RateGroup;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The envelope's `data` on success. */
  readonly data: z.ZodObject;
  /** Codes of the error catalogue that this endpoint may answer with, besides those that follow from the rest
   * (`codesOf`): 500 and 503 when left out. An endpoint without 503 either needs no storage, or has another code for a
   * storage that cannot be reached. */
  readonly errors?: readonly ErrorCode[];
  /** Seconds for which a success may be used again. It has an ETag, and is 304 where If-None-Match names that. */
  readonly max_age_s?: number;
  /** Whether an Idempotency-Key header makes a repeat safe. */
  readonly idempotent?: true;
  /** Whether the body is stored as it was sent: what JavaScript would change is refused. */
  readonly keeps_body?: true;
}

/** What the reads of a user's own account, the public listings, and the calls with a body have in common. */
const ACCOUNT = { method: "GET", auth: "required", rate: "account" } as const;
const LISTING = { method: "GET", rate: "public", max_age_s: 5 } as const;
const NEWS = { ...LISTING, tag: "News", auth: "none" } as const;
const POST = { method: "POST", auth: "required" } as const;

/** The interface: 13 endpoints. Routes, the checks of requests and the OpenAPI document are made from this table. */
export const ENDPOINTS = {
  getMe: { ...ACCOUNT, path: "/api/v1/ai/me", tag: "Accounts", data: points.quotaProfile },
  getRecommendedQuestions: {
    ...LISTING,
    path: "/api/v1/ai/recommended-questions",
    tag: "Assistant",
    auth: "optional",
    query: assistant.recommendedQuery,
    data: assistant.recommendedQuestions,
    errors: [500],
    max_age_s: 60,
  },
  sendChat: {
    ...POST,
    path: "/api/v1/ai/chat/send",
    tag: "Assistant",
    rate: "chat",
    body: assistant.chatBody,
    data: assistant.chatAnswer,
    errors: [500, 503, 1005, 1007],
    idempotent: true,
  },
  recordEvent: {
    ...POST,
    path: "/api/v1/ai/events",
    tag: "Events",
    rate: "events",
    body: events.eventBody,
    data: events.eventRecord,
    idempotent: true,
    keeps_body: true,
  },
  getHotTopics: {
    ...LISTING,
    path: "/api/v1/ai/hot-topics",
    tag: "News",
    auth: "optional",
    query: news.hotTopicsQuery,
    data: news.hotTopics,
    errors: [],
  },
  getNewsHot: { ...NEWS, path: "/api/v1/news/hot", query: news.newsHotQuery, data: news.newsList },
  getNewsTopics: { ...NEWS, path: "/api/v1/news/topics", query: news.topicsQuery, data: news.topicList },
  refreshNews: {
    ...POST,
    path: "/api/v1/news/refresh",
    tag: "News",
    rate: "refresh",
    query: news.refreshQuery,
    data: news.refreshResult,
  },
  getPoints: { ...ACCOUNT, path: "/api/v1/ai/points", tag: "Points", data: points.pointsAccount },
  getLedger: {
    ...ACCOUNT,
    path: "/api/v1/ai/points/ledger",
    tag: "Points",
    query: points.ledgerQuery,
    data: points.ledgerPage,
  },
  exchangePoints: {
    ...POST,
    path: "/api/v1/ai/points/exchange",
    tag: "Points",
    rate: "points",
    body: points.exchangeBody,
    data: points.exchangeResult,
    errors: [500, 503, 1009],
    idempotent: true,
  },
  getSubscription: { ...ACCOUNT, path: "/api/v1/ai/subscription", tag: "Accounts", data: points.subscription },
  postTradeReward: {
    ...POST,
    path: "/api/v1/ai/points/trade-reward",
    tag: "Points",
    stability: "experimental",
    rate: "points",
    body: points.tradeRewardBody,
    data: points.tradeReward,
    errors: [500],
  },
} as const satisfies Record<string, Endpoint>;

const EVERYWHERE: readonly ErrorCode[] = [400, 404, 405, 408, 417, 429, 431];

/** All codes of the error catalogue that an endpoint may return. */
export function codesOf({ auth, query, body, errors = [500, 503] }: Endpoint): readonly ErrorCode[] {
  const ofToken: readonly ErrorCode[] = auth === "required" ? [401] : [];
  const ofInput: readonly ErrorCode[] = body !== undefined ? [413, 415, 422] : query !== undefined ? [422] : [];
  return [...EVERYWHERE, ...ofToken, ...ofInput, ...errors];
}

/** The name of an operation of the interface. */
export type OperationId = keyof typeof ENDPOINTS;

type Parsed<K extends OperationId, Part extends "query" | "body"> =
  (typeof ENDPOINTS)[K] extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined;

/** The validated input of an operation. */
export interface OperationInput<K extends OperationId> {
  readonly query: Parsed<K, "query">;
  readonly body: Parsed<K, "body">;
}

/** The `data` of an operation's success. */
export type OperationData<K extends OperationId> = z.output<(typeof ENDPOINTS)[K]["data"]>;
