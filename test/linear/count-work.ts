import { Session } from "node:inspector";

/** Built-in functions that read all of their text or list. */
const READERS = [
  [String.prototype, ["includes", "indexOf", "lastIndexOf", "replaceAll", "split", "toLowerCase", "trim"]],
  [Array.prototype, ["concat", "includes", "indexOf", "join", "shift", "sort", "splice", "unshift"]],
] as const;

type Method = (this: { readonly length: number }, ...given: unknown[]) => unknown;

/**
 * Counts the steps of functions of `src`: how often each block of their code runs, by V8's coverage, and the characters
 * and elements that built-in functions and regular expressions read. The count depends neither on the machine nor on its
 * load. Modules count whose code was loaded after this was created.
 */
export class WorkCounter {
  readonly #session = new Session();
  #read = 0;

  constructor() {
    this.#session.connect();
    this.#post("Profiler.enable");
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** The steps of one run, with those since the last: a coverage is taken once, since it is most of a count's time. */
  count(run: () => unknown): number {
    this.#read = 0;
    const restore = this.#watchBuiltins();
    try {
      run();
    } finally {
      restore();
    }
    return this.#read + this.#blocks();
  }

  end(): void {
    this.#post("Profiler.stopPreciseCoverage");
    this.#post("Profiler.disable");
    this.#session.disconnect();
  }

  /** How often the blocks of `src` ran since the last call. */
  #blocks(): number {
    const { result } = this.#post("Profiler.takePreciseCoverage") as {
      result: { url: string; functions: { ranges: { count: number }[] }[] }[];
    };
    const ours = result.filter(({ url }) => /\/src\/[a-z]+\//.test(url) && !url.includes("node_modules"));
    return ours.reduce(
      (sum, { functions }) =>
        sum + functions.reduce((blocks, { ranges }) => blocks + ranges.reduce((n, { count }) => n + count, 0), 0),
      0,
    );
  }

  #watchBuiltins(): () => void {
    const originals: (() => void)[] = [];
    const watch = (prototype: object, name: string, make: (original: Method) => Method): void => {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!;
      originals.push(() => Object.defineProperty(prototype, name, descriptor));
      Object.defineProperty(prototype, name, { ...descriptor, value: make(descriptor.value as Method) });
    };
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const counter = this;
    for (const [prototype, names] of READERS) {
      for (const name of names) {
        watch(
          prototype,
          name,
          (original) =>
            function (...given) {
              counter.#read += this.length;
              return original.apply(this, given);
            },
        );
      }
    }
    watch(
      String.prototype,
      "normalize",
      (original) =>
        function (form) {
          // The marks of one letter are sorted by insertion.
          const runs = (this as unknown as string).match(/[\p{M}\uff9e\uff9f]+/gu) ?? [];
          counter.#read += this.length + runs.reduce((steps, run) => steps + run.length ** 2, 0);
          return original.call(this, form);
        },
    );
    // Each expression by itself takes linear time: `regular-expressions.test.ts`.
    watch(
      RegExp.prototype,
      "exec",
      (original) =>
        function (text) {
          const expression = this as unknown as RegExp;
          const from = expression.global || expression.sticky ? expression.lastIndex : 0;
          const match = original.call(this, text) as RegExpExecArray | null;
          const missed = expression.sticky ? from + 1 : String(text).length;
          counter.#read += (match === null ? missed : match.index + match[0].length) - from;
          return match;
        },
    );
    return () => {
      for (const restore of originals) restore();
    };
  }

  #post(method: string, params?: object): unknown {
    let answer: unknown;
    this.#session.post(method, params, (error, result) => {
      if (error !== null) throw new Error(error.message);
      answer = result;
    });
    return answer;
  }
}
