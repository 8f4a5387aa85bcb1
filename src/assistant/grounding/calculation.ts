import BOUNDS from "./data/bounds.json" with { type: "json" };
import type { Figure } from "./figures.ts";

const { figures: MOST } = BOUNDS;

/** An amount as calculations see it: its value and the dimension of its unit; none for plain numbers and counts. */
type Quantity = Pick<Figure, "value" | "unit">;

/** Units of numbers that say how many: "three times", "12 shares". */
export const COUNTED: ReadonlySet<string | undefined> = new Set([undefined, "count", "times"]);

/** Whether a calculation gives a figure: with two figures of which one is `near`, or both `far` ones where the words say
 * so; or a sum of the last near ones. Takes a bounded number of steps: several are taken one by one, as a reply says them. */
export function isCalculated(figure: Figure, near: readonly Figure[], far: readonly Figure[], isSaid: boolean) {
  const operands = quantitiesOf(near.slice(-3 * MOST.parts), figure.unit);
  const all = [...operands, ...quantitiesOf(far.slice(0, MOST.summands), figure.unit)];
  const isResult = (result: Quantity): boolean => isEqual(result, figure);
  const first = isSaid ? all : operands;
  if (first.some((a, at) => all.slice(at + 1).some((b) => resultsOf(a, b).some(isResult)))) return true;
  let sum = 0;
  const like = operands.filter(({ unit }) => unit === figure.unit && unit !== undefined).reverse();
  return like.some(({ value, unit }) => isResult({ value: (sum += value), unit }));
}

/** The quantities that figures stand for. A large number may lack its unit: "What is the fee for 20000?" */
function quantitiesOf(figures: readonly Figure[], wanted: string | undefined): Quantity[] {
  const amounts = figures.filter(({ kind, unit }) => kind === "amount" && unit !== "weekday");
  const units = [wanted, ...amounts.map(({ unit }) => unit)].filter((unit) => !PLAIN.has(unit));
  const found = amounts.flatMap(({ value, unit, factor }): Quantity[] => {
    if (unit === "time") return [...inUnit("time", value), ...inUnit(SPANS, value / factor)];
    if (!COUNTED.has(unit)) return inUnit(unit, value);
    return [undefined, ...(value < 10 ? [] : units)].flatMap((other) => inUnit(other, value));
  });
  return [...new Map(found.map((one) => [`${one.unit} ${one.value}`, one])).values()];
}

/** The unit of "12" in "12 months": what a price is multiplied with. */
const SPANS = "spans";
const PLAIN: ReadonlySet<string | undefined> = new Set([...COUNTED, "time", "percent"]);

const inUnit = (unit: string | undefined, ...values: readonly number[]) => values.map((value) => ({ value, unit }));

function resultsOf(a: Quantity, b: Quantity): Quantity[] {
  if (a.unit === "percent" && b.unit !== "percent") return resultsOf(b, a);
  const [x, y] = [a.value, b.value];
  const ofPercent = b.unit === "percent" ? inUnit(a.unit, (x * y) / 100, x * (1 - y / 100), x * (1 + y / 100)) : [];
  if (a.unit === b.unit) {
    const ratios = [...inUnit(undefined, x / y, y / x), ...inUnit("percent", (x / y) * 100, (y / x) * 100)];
    return [
      ...inUnit(a.unit, x + y, Math.abs(x - y)),
      ...(b.unit === "percent" ? ofPercent : ratios),
      ...(a.unit === undefined ? inUnit(undefined, x * y) : []),
    ];
  }
  if (ofPercent.length > 0) return ofPercent;
  if (isFactor(a, b)) return inUnit(b.unit, x * y, y / x);
  return isFactor(b, a) ? inUnit(a.unit, x * y, x / y) : [];
}

const isFactor = ({ unit }: Quantity, of: Quantity) => unit === undefined || (unit === SPANS && of.unit !== "time");

/** Whether a result is the figure, rounded as that is written. */
function isEqual({ value, unit }: Quantity, figure: Figure): boolean {
  if (unit !== figure.unit && !(COUNTED.has(figure.unit) && unit !== "percent" && unit !== SPANS)) return false;
  const rounding = figure.decimals < 1 ? 0 : Math.min(0.5 * 10 ** -figure.decimals, Math.abs(value) * 0.01);
  return Math.abs(value - figure.value) <= rounding + Math.abs(figure.value) * 1e-6 + 1e-12;
}
