/** How long a run is, and on what. The short run of `npm test` takes the defaults of each test. */
export interface SoakOptions {
  readonly seed: number;
  /** `files`, `redis`, `cluster` or a storage URL; all that there are when absent. */
  readonly storage?: string;
  /** Rounds, kills, … as the test counts. */
  readonly count?: number;
  readonly minutes?: number;
  /** Requests a second. */
  readonly rate?: number;
  /** How a Redis that is killed syncs its writes. */
  readonly appendfsync?: string;
}

/** The options of `npm run soak`; undefined in the short run. */
export const soak: SoakOptions | undefined = read();

function read(): SoakOptions | undefined {
  const text = process.env["ANP_SOAK"];
  return text === undefined ? undefined : (JSON.parse(text) as SoakOptions);
}

/** The seed of this run. */
export const SEED = soak?.seed ?? 1;
