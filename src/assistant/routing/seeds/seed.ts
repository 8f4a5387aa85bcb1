/** Seed utterances of one sub-intent, one a line, by language. */
export interface SubIntentSeeds {
  readonly zh: string;
  readonly en: string;
}

/** Seed utterances of a route, by sub-intent. */
export type RouteSeeds = Readonly<Record<string, SubIntentSeeds>>;
