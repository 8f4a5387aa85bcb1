import type { Passage } from "../../src/assistant/passage.ts";

/** A passage with what the test cares about. */
export function passage(part: Partial<Passage>): Passage {
  return {
    id: "p",
    kind: "help",
    title: "",
    text: "",
    url: "https://exchange.example/help/p",
    lang: "en",
    published_at: "2026-11-01T00:00:00Z",
    ...part,
  };
}
