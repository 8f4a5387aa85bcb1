import { tokenOf } from "./daemon-process.ts";
import { seeded } from "./seeded.ts";
import type { Summary } from "./summary.ts";

/** What a front page and its visitors ask for, beside chats and points. */
const VISITS = [
  { name: "me", path: "/api/v1/ai/me" },
  { name: "subscription", path: "/api/v1/ai/subscription" },
  { name: "recommended-questions", path: "/api/v1/ai/recommended-questions?limit=6&lang=en" },
  { name: "hot-topics", path: "/api/v1/ai/hot-topics?days=7" },
  { name: "news/hot", path: "/api/v1/news/hot?limit=10" },
  { name: "news/topics", path: "/api/v1/news/topics?lang=en" },
  { name: "events", path: "/api/v1/ai/events", body: { event_type: "page_view", event_payload: { page: "home" } } },
];

/**
 * Visits the daemons until it is enough, `rate` times a second.
 *
 * @returns the answers that were neither a success nor a 503, in words
 */
export async function browse(options: {
  readonly urls: readonly string[];
  readonly user: string;
  readonly seed: number;
  readonly rate: number;
  readonly summary: Summary;
  readonly enough: () => boolean;
}): Promise<string[]> {
  const { urls, user, seed, rate, summary, enough } = options;
  const choice = seeded(seed, "browse", user);
  const wrong: string[] = [];
  const pending = new Set<Promise<void>>();
  const started = performance.now();

  async function visit(url: string, { name, path, body }: (typeof VISITS)[number]): Promise<void> {
    const from = performance.now();
    const headers = { "x-user-token": tokenOf(user), "content-type": "application/json" };
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    try {
      const response = await fetch(url + path, { headers, ...post });
      const text = await response.text();
      // A storage that takes too long on a busy machine is told, and is no wrong answer.
      if (!response.ok && response.status !== 503) wrong.push(`${name}: ${response.status} ${text}`);
      summary.count(name, response.ok ? "visited" : `visited (${response.status})`, performance.now() - from);
    } catch (error) {
      wrong.push(`${name}: ${String(error)}`);
    }
  }

  for (let step = 0; !enough(); step++) {
    const wait = started + (step * 1000) / rate - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const visiting = visit(choice.pick(urls), choice.pick(VISITS));
    pending.add(visiting);
    void visiting.then(() => pending.delete(visiting));
  }
  await Promise.all(pending);
  return wrong;
}
