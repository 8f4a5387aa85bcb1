/** An example request and response of each endpoint, for the OpenAPI document. A test validates them. */

const quota = {
  free_daily_quota: 5,
  free_daily_used: 1,
  remaining_free_quota: 4,
  next_reset_at: "2026-11-21T00:00:00+08:00",
};

const newsItem = {
  id: "n-4f1c2a9b7d3e",
  title: "Bitcoin funds report record inflows",
  summary: "Spot funds received more money than on any day before.",
  url: "https://news.example/1",
  source: "Chainwire Daily",
  lang: "en",
  published_at: "2026-11-19T22:10:00.000Z",
  symbols: ["BTC"],
  sentiment: "positive",
};

export const EXAMPLES = {
  getMe: { data: { user_id: "alice", balance_points: 15, ...quota } },
  getRecommendedQuestions: {
    query: { scene: "home", lang: "en", limit: 2 },
    data: {
      scene: "home",
      lang: "en",
      questions: [
        { content: "How many free questions do I have left?", order_index: 1 },
        { content: "How long does a deposit take?", order_index: 2 },
      ],
    },
  },
  sendChat: {
    body: { question: "How long does a BTC deposit take?", page_context: "wallet", token_symbol: "BTC" },
    data: {
      message_id: 114340902666240,
      session_id: 114340902666240,
      answer: "A BTC deposit is credited after 2 confirmations.",
      route: "help",
      sub_intent: "deposit",
      source_items: [
        {
          id: "help-deposit-crypto",
          kind: "help",
          title: "How to deposit crypto",
          url: "https://www.lumex.example/en/help/deposit-crypto",
          lang: "en",
          published_at: "2026-10-01T00:00:00.000Z",
          snippet: "A BTC deposit is credited after 2 confirmations.",
        },
      ],
      points_cost: 0,
      credits_remaining: 15,
      model_name: "local-extractive",
      latency_ms: 12,
    },
  },
  recordEvent: {
    body: { event_type: "answer_feedback", message_id: 114340902666240, feedback_type: "helpful" },
    data: { event_id: "2026-11-20-1-0", event_type: "answer_feedback", accepted: true, stored: true },
  },
  getHotTopics: {
    query: { days: 1, limit: 1 },
    data: {
      topics: [{ topic: "Bitcoin funds report record inflows", heat: 87.5 }],
      user_hot_questions: [{ question: "How long does a deposit take?", count: 12, lang: "en" }],
      sentiment_overview: {
        dominant: "positive",
        positive: 31,
        neutral: 20,
        negative: 14,
        index: 63,
        updated_at: "2026-11-20T00:00:00.000Z",
      },
      refresh_meta: {
        last_full_sync_at: "2026-11-20T00:00:00.000Z",
        last_refresh_at: "2026-11-20T00:05:00.000Z",
        sentiment_updated_at: "2026-11-20T00:00:00.000Z",
        source: "live",
        stale: false,
        coverage: { news: { zh: 62, en: 62 }, notice: { zh: 20, en: 20 }, help: { zh: 42, en: 42 } },
      },
    },
  },
  getNewsHot: { query: { limit: 1, hours: 24 }, data: { news: [newsItem], total: 34 } },
  getNewsTopics: {
    query: { limit: 1, lang: "en" },
    data: {
      topics: [
        {
          id: "t-9a0b1c2d3e4f",
          title: "Bitcoin funds report record inflows",
          lang: "en",
          heat: 87.5,
          size: 1,
          sources: ["Chainwire Daily"],
          first_seen_at: "2026-11-19T22:10:00.000Z",
          last_seen_at: "2026-11-19T22:10:00.000Z",
          items: [newsItem],
          question_suggestions: ["Why did Bitcoin funds report record inflows?"],
        },
      ],
      total: 14,
    },
  },
  refreshNews: {
    query: { mode: "view" },
    data: {
      refresh_mode: "view",
      news_updated_count: 3,
      notice_updated_count: 0,
      topic_rebuild_count: 1,
      last_full_sync_at: "2026-11-20T00:00:00.000Z",
      sentiment_updated_at: "2026-11-20T00:00:00.000Z",
    },
  },
  getPoints: { data: { balance: 15, total_earned: 15, total_spent: 0, ...quota } },
  getLedger: {
    query: { page: 1, page_size: 1 },
    data: {
      items: [
        {
          id: 2,
          delta: 0,
          type: "chat_cost",
          description: "Answer (help/deposit), free use",
          ref_id: "rmi6z2k00a1b2c3d4e5f6g7h8i",
          created_at: "2026-11-20T00:01:00.000Z",
        },
      ],
      total: 2,
      page: 1,
      page_size: 1,
    },
  },
  exchangePoints: {
    body: { token_amount: 1.5 },
    data: { token_amount: 1.5, points_earned: 15, balance_after: 15, exchange_rate: 10 },
  },
  getSubscription: {
    data: {
      status: "free",
      plan: "free",
      started_at: null,
      expires_at: null,
      features: { memory: false, advanced_research: false },
      is_active: false,
    },
  },
  postTradeReward: {
    body: { trade_type: "spot", volume_usd: 1200.5, ref_id: "trade-20261120-0001" },
    data: { points_earned: 12, ref_id: "trade-20261120-0001" },
  },
} as const;
