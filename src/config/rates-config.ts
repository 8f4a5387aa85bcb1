import type { RateGroup } from "../contract/endpoints.ts";
import { integer, section } from "./section.ts";

const rate = (requests: number) =>
  section({
    requests: integer([0, 1_000_000], requests).describe("Requests per window; 0 for no limit"),
    window_s: integer([1, 86_400], 60).describe("Length of the window, s"),
  });

/** How many requests of each group an account, or an anonymous caller, may make; `endpoints.ts` has the groups. Generous:
 * far beyond what a person does. Reads of a user's own account are cheap. */
export const ratesConfig = section({
  account: rate(0),
  chat: rate(300),
  events: rate(60_000),
  points: rate(600),
  public: rate(300_000),
  refresh: rate(60),
} satisfies Record<RateGroup, unknown>);
