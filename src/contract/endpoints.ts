import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { chatAnswer, chatBody, recommendedQuery, recommendedQuestions } from "./schemas/assistant-schemas.ts";
import { eventBody, eventRecord } from "./schemas/event-schemas.ts";
import {
  hotTopics,
  hotTopicsQuery,
  newsHotQuery,
  newsList,
  refreshQuery,
  refreshResult,
  topicList,
  topicsQuery,
} from "./schemas/news-schemas.ts";
import {
  exchangeBody,
  exchangeResult,
  ledgerPage,
  ledgerQuery,
  pointsAccount,
  quotaProfile,
  subscription,
  tradeReward,
  tradeRewardBody,
} from "./schemas/points-schemas.ts";
import { EXAMPLES } from "./examples.ts";

/** Groups of operations. The operations of a group share a rate limit. */
export const RATE_GROUPS = ["account", "chat", "events", "points", "public", "refresh"] as const;

export type RateGroup = (typeof RATE_GROUPS)[number];

/** One endpoint of the interface, as data. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: "Accounts" | "Assistant" | "News" | "Points" | "Events";
  /** Whether a valid X-User-Token header is required, optional, or ignored. */
  readonly auth: "required" | "optional" | "none";
  readonly stability: "stable" | "experimental";
  /** The group whose rate limit it counts against. */
  readonly rate: RateGroup;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The envelope's `data` on success. */
  readonly data: z.ZodObject;
  /**
   * Codes of the error catalogue that this endpoint may answer with, besides those of every endpoint (`codesOf`). An
   * endpoint without 503 either needs no storage, or has another code for a storage that cannot be reached.
   */
  readonly errors: readonly ErrorCode[];
  /** Whether an Idempotency-Key header makes a repeat safe. */
  readonly idempotent?: true;
  readonly example: { readonly query?: object; readonly body?: object; readonly data: object };
}

/**
 * The interface: 13 endpoints. The server mounts its routes from this table, requests are checked against it, the
 * OpenAPI document is printed from it.
 */
export const ENDPOINTS = {
  getMe: {
    method: "GET",
    path: "/api/v1/ai/me",
    summary: "Quota profile of the user",
    description: "The user's points balance and today's free uses.",
    tag: "Accounts",
    auth: "required",
    stability: "stable",
    rate: "account",
    data: quotaProfile,
    errors: [401, 500, 503],
    example: EXAMPLES.getMe,
  },
  getRecommendedQuestions: {
    method: "GET",
    path: "/api/v1/ai/recommended-questions",
    summary: "Recommended questions for a scene",
    description:
      "The response echoes scene and language. An unknown scene returns the questions of `home`; an unknown language returns those of the nearest available one.",
    tag: "Assistant",
    auth: "optional",
    stability: "stable",
    rate: "public",
    query: recommendedQuery,
    data: recommendedQuestions,
    errors: [422, 500],
    example: EXAMPLES.getRecommendedQuestions,
  },
  sendChat: {
    method: "POST",
    path: "/api/v1/ai/chat/send",
    summary: "Ask a question",
    description:
      "Costs a free use if one is left today, else points. An answer without supporting sources and a failed call cost nothing.",
    tag: "Assistant",
    auth: "required",
    stability: "stable",
    rate: "chat",
    body: chatBody,
    data: chatAnswer,
    errors: [401, 413, 415, 422, 500, 503, 1005, 1007],
    idempotent: true,
    example: EXAMPLES.sendChat,
  },
  recordEvent: {
    method: "POST",
    path: "/api/v1/ai/events",
    summary: "Record a behaviour or feedback event",
    description:
      "The event type is any string of at least 2 characters. An event that is sent repeatedly with one Idempotency-Key is stored once.",
    tag: "Events",
    auth: "required",
    stability: "stable",
    rate: "events",
    body: eventBody,
    data: eventRecord,
    errors: [401, 413, 415, 422, 500, 503],
    idempotent: true,
    example: EXAMPLES.recordEvent,
  },
  getHotTopics: {
    method: "GET",
    path: "/api/v1/ai/hot-topics",
    summary: "Hot topics, hot questions and market mood",
    description:
      "After an internal failure it returns the last good snapshot, or a bundled one; `refresh_meta` says which.",
    tag: "News",
    auth: "optional",
    stability: "stable",
    rate: "public",
    query: hotTopicsQuery,
    data: hotTopics,
    errors: [422],
    example: EXAMPLES.getHotTopics,
  },
  getNewsHot: {
    method: "GET",
    path: "/api/v1/news/hot",
    summary: "Latest news",
    description: "Newest first. `total` is the number of items in the time window, before `limit`.",
    tag: "News",
    auth: "none",
    stability: "stable",
    rate: "public",
    query: newsHotQuery,
    data: newsList,
    errors: [422, 500, 503],
    example: EXAMPLES.getNewsHot,
  },
  getNewsTopics: {
    method: "GET",
    path: "/api/v1/news/topics",
    summary: "Clustered news topics",
    description: "Hottest first. Each topic has questions that can be asked about it.",
    tag: "News",
    auth: "none",
    stability: "stable",
    rate: "public",
    query: topicsQuery,
    data: topicList,
    errors: [422, 500, 503],
    example: EXAMPLES.getNewsTopics,
  },
  refreshNews: {
    method: "POST",
    path: "/api/v1/news/refresh",
    summary: "Refresh news, notices and sentiment",
    description:
      "`view` refreshes the news; `full` synchronises every source and may take minutes. The request has no body.",
    tag: "News",
    auth: "required",
    stability: "stable",
    rate: "refresh",
    query: refreshQuery,
    data: refreshResult,
    errors: [401, 422, 500, 503],
    example: EXAMPLES.refreshNews,
  },
  getPoints: {
    method: "GET",
    path: "/api/v1/ai/points",
    summary: "Points account of the user",
    description: "Balance and totals. The quota fields equal those of the quota profile.",
    tag: "Points",
    auth: "required",
    stability: "stable",
    rate: "account",
    data: pointsAccount,
    errors: [401, 500, 503],
    example: EXAMPLES.getPoints,
  },
  getLedger: {
    method: "GET",
    path: "/api/v1/ai/points/ledger",
    summary: "A page of the user's ledger",
    description: "Newest first. A page after the last one is empty.",
    tag: "Points",
    auth: "required",
    stability: "stable",
    rate: "account",
    query: ledgerQuery,
    data: ledgerPage,
    errors: [401, 422, 500, 503],
    example: EXAMPLES.getLedger,
  },
  exchangePoints: {
    method: "POST",
    path: "/api/v1/ai/points/exchange",
    summary: "Exchange tokens for points",
    description: "points_earned = floor(token_amount × exchange_rate), in exact decimal arithmetic.",
    tag: "Points",
    auth: "required",
    stability: "stable",
    rate: "points",
    body: exchangeBody,
    data: exchangeResult,
    errors: [401, 413, 415, 422, 500, 503, 1009],
    idempotent: true,
    example: EXAMPLES.exchangePoints,
  },
  getSubscription: {
    method: "GET",
    path: "/api/v1/ai/subscription",
    summary: "Subscription of the user",
    description: "`features` says which advanced features the plan includes.",
    tag: "Accounts",
    auth: "required",
    stability: "stable",
    rate: "account",
    data: subscription,
    errors: [401, 500, 503],
    example: EXAMPLES.getSubscription,
  },
  postTradeReward: {
    method: "POST",
    path: "/api/v1/ai/points/trade-reward",
    summary: "Reward a trade (experimental)",
    description: "Experimental: it may change, or fail with 500. A repeated `ref_id` returns the first result.",
    tag: "Points",
    auth: "required",
    stability: "experimental",
    rate: "points",
    body: tradeRewardBody,
    data: tradeReward,
    errors: [401, 413, 415, 422, 500],
    example: EXAMPLES.postTradeReward,
  },
} as const satisfies Record<string, Endpoint>;

/** Codes that every endpoint may return. */
const EVERYWHERE: readonly ErrorCode[] = [404, 405, 429];

/** All codes of the error catalogue that an endpoint may return. */
export function codesOf(endpoint: Endpoint): readonly ErrorCode[] {
  return [...EVERYWHERE, ...endpoint.errors];
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
