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
  /** The group whose rate limit it counts against. */
  readonly rate: RateGroup;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The envelope's `data` on success. */
  readonly data: z.ZodObject;
  /**
   * Codes of the error catalogue that this endpoint may answer with, besides those that follow from the rest (`codesOf`):
   * 500 and 503 when left out. An endpoint without 503 either needs no storage, or has another code for a storage that
   * cannot be reached.
   */
  readonly errors?: readonly ErrorCode[];
  /** Seconds for which a success may be used again. It has an ETag, and is 304 where If-None-Match names that. */
  readonly max_age_s?: number;
  /** Whether an Idempotency-Key header makes a repeat safe. */
  readonly idempotent?: true;
  /** Whether the body is stored as it was sent: what JavaScript would change is refused. */
  readonly keeps_body?: true;
}

/**
 * The interface: 13 endpoints. The server mounts its routes from this table, requests are checked against it, the
 * OpenAPI document is printed from it.
 */
export const ENDPOINTS = {
  getMe: {
    method: "GET",
    path: "/api/v1/ai/me",
    tag: "Accounts",
    auth: "required",
    rate: "account",
    data: points.quotaProfile,
  },
  getRecommendedQuestions: {
    method: "GET",
    path: "/api/v1/ai/recommended-questions",
    tag: "Assistant",
    auth: "optional",
    rate: "public",
    query: assistant.recommendedQuery,
    data: assistant.recommendedQuestions,
    errors: [500],
    max_age_s: 60,
  },
  sendChat: {
    method: "POST",
    path: "/api/v1/ai/chat/send",
    tag: "Assistant",
    auth: "required",
    rate: "chat",
    body: assistant.chatBody,
    data: assistant.chatAnswer,
    errors: [500, 503, 1005, 1007],
    idempotent: true,
  },
  recordEvent: {
    method: "POST",
    path: "/api/v1/ai/events",
    tag: "Events",
    auth: "required",
    rate: "events",
    body: events.eventBody,
    data: events.eventRecord,
    idempotent: true,
    keeps_body: true,
  },
  getHotTopics: {
    method: "GET",
    path: "/api/v1/ai/hot-topics",
    tag: "News",
    auth: "optional",
    rate: "public",
    query: news.hotTopicsQuery,
    data: news.hotTopics,
    errors: [],
    max_age_s: 5,
  },
  getNewsHot: {
    method: "GET",
    path: "/api/v1/news/hot",
    tag: "News",
    auth: "none",
    rate: "public",
    query: news.newsHotQuery,
    data: news.newsList,
    max_age_s: 5,
  },
  getNewsTopics: {
    method: "GET",
    path: "/api/v1/news/topics",
    tag: "News",
    auth: "none",
    rate: "public",
    query: news.topicsQuery,
    data: news.topicList,
    max_age_s: 5,
  },
  refreshNews: {
    method: "POST",
    path: "/api/v1/news/refresh",
    tag: "News",
    auth: "required",
    rate: "refresh",
    query: news.refreshQuery,
    data: news.refreshResult,
  },
  getPoints: {
    method: "GET",
    path: "/api/v1/ai/points",
    tag: "Points",
    auth: "required",
    rate: "account",
    data: points.pointsAccount,
  },
  getLedger: {
    method: "GET",
    path: "/api/v1/ai/points/ledger",
    tag: "Points",
    auth: "required",
    rate: "account",
    query: points.ledgerQuery,
    data: points.ledgerPage,
  },
  exchangePoints: {
    method: "POST",
    path: "/api/v1/ai/points/exchange",
    tag: "Points",
    auth: "required",
    rate: "points",
    body: points.exchangeBody,
    data: points.exchangeResult,
    errors: [500, 503, 1009],
    idempotent: true,
  },
  getSubscription: {
    method: "GET",
    path: "/api/v1/ai/subscription",
    tag: "Accounts",
    auth: "required",
    rate: "account",
    data: points.subscription,
  },
  postTradeReward: {
    method: "POST",
    path: "/api/v1/ai/points/trade-reward",
    tag: "Points",
    auth: "required",
    stability: "experimental",
    rate: "points",
    body: points.tradeRewardBody,
    data: points.tradeReward,
    errors: [500],
  },
} as const satisfies Record<string, Endpoint>;

/** Codes that every endpoint may return. */
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
