import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from "prom-client";

/** Upper bounds of a request's or a storage call's latency, in milliseconds: from a cached read to a model's answer. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const;

/**
 * Latencies of one kind, counted for a histogram. The library's own histogram takes half a microsecond an observation,
 * which is too much for what is counted several times a request.
 */
export class Tally {
  /** Observations within each of the bounds, and beyond all of them. */
  readonly #within: Float64Array = new Float64Array(BOUNDS_MS.length + 1);
  #sumMs = 0;

  /** @param times how many observations this one stands for */
  observe(ms: number, times = 1): void {
    let bound = 0;
    while (bound < BOUNDS_MS.length && ms > BOUNDS_MS[bound]!) bound++;
    this.#within[bound]! += times;
    this.#sumMs += ms * times;
  }

  /** The series of Prometheus, in seconds. */
  series<L extends string>(name: string, labels: Record<L, string>): MetricValueWithName<L | "le">[] {
    let count = 0;
    const buckets = [...BOUNDS_MS, Infinity].map((bound, index) => {
      count += this.#within[index]!;
      const le = bound === Infinity ? "+Inf" : String(bound / 1000);
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: { ...labels }, value: this.#sumMs / 1000 },
      { metricName: `${name}_count`, labels: { ...labels }, value: count },
    ] as MetricValueWithName<L | "le">[];
  }
}

/** A histogram of the registry whose values are tallies, one a value of its label. */
export class TallyHistogram<L extends string> extends Histogram<L> {
  readonly #tallies = new Map<string, Tally>();
  readonly #about: { readonly name: string; readonly help: string; readonly label: L };

  constructor(registry: Registry, about: { readonly name: string; readonly help: string; readonly label: L }) {
    super({ name: about.name, help: about.help, labelNames: [about.label], registers: [registry] });
    this.#about = about;
  }

  /** The tally of a value of the label; made when it is first asked for. */
  tally(value: string): Tally {
    let tally = this.#tallies.get(value);
    if (tally === undefined) {
      tally = new Tally();
      this.#tallies.set(value, tally);
    }
    return tally;
  }

  override get(): Promise<MetricObjectWithValues<MetricValueWithName<L>>> {
    const { name, help, label } = this.#about;
    const values = [...this.#tallies].flatMap(([value, tally]) =>
      tally.series(name, { [label]: value } as Record<L, string>),
    );
    return Promise.resolve({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      collect: () => undefined,
      values,
    } as unknown as MetricObjectWithValues<MetricValueWithName<L>>);
  }

  /** What the registry asks for when it prints. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<L>>> {
    return this.get();
  }
}
