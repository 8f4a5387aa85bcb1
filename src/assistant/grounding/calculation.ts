import { Decimal } from "decimal.js";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import { FACTORS, type Figure } from "./figures.ts";

const { figures: MOST } = BOUNDS;
const Exact = Decimal.clone({ precision: 40 });
const INVALID = new Exact(Number.NaN);

/** An operand: a value and the dimension of its unit, undefined for plain numbers and counts. */
type Quantity = Pick<Figure, "value" | "unit">;

/** Units of counts: "three times", "12 shares". */
export const COUNT_UNITS: ReadonlySet<string | undefined> = new Set([undefined, "count", "times"]);

/** Whether a calculation gives a figure: of two figures, of which one is `near` (or both `far`, if the words state one,
 * `isSaid`), or a sum of the last near ones. Bounded in time: a reply states a longer calculation step by step. */
export function isCalculated(figure: Figure, near: readonly Figure[], far: readonly Figure[], isSaid: boolean) {
  const operands = quantitiesOf(near.slice(-3 * MOST.parts), figure.unit);
  const all = [...operands, ...quantitiesOf(far.slice(0, MOST.summands), figure.unit)];
  const isFigure = (result: Quantity): boolean => isEqual(result, figure);
  const first = isSaid ? all : operands;
  if (first.some((a, at) => all.slice(at + 1).some((b) => resultsOf(a, b).some(isFigure)))) return true;
  let sum = 0;
  const like = operands.filter(({ unit }) => unit === figure.unit && unit !== undefined).reverse();
  return like.some(({ value, unit }) => isFigure({ value: (sum += value), unit }));
}

/** The operands that figures may mean. A large number may lack its unit: "What is the fee for 20000?" */
function quantitiesOf(figures: readonly Figure[], wanted: string | undefined): Quantity[] {
  const amounts = figures.filter(({ kind, unit }) => kind === "amount" && unit !== "weekday");
  const units = [wanted, ...amounts.map(({ unit }) => unit)].filter((unit) => !PLAIN.has(unit));
  const found = amounts.flatMap(({ value, unit, factor }): Quantity[] => {
    if (unit === "time") return [...inUnit("time", value), ...inUnit(SPANS, value / factor)];
    if (!COUNT_UNITS.has(unit)) return inUnit(unit, value);
    return [undefined, ...(value < 10 ? [] : units)].flatMap((other) => inUnit(other, value));
  });
  return [...new Map(found.map((one) => [`${one.unit} ${one.value}`, one])).values()];
}

const SPANS = "spans"; // The unit of "12" in "12 months" when it is a factor of a price.
const PLAIN: ReadonlySet<string | undefined> = new Set([...COUNT_UNITS, "time", "percent"]);

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

/** Whether a result equals the figure, within the figure's rounding. */
function isEqual({ value, unit }: Quantity, figure: Figure): boolean {
  if (unit !== figure.unit && !(COUNT_UNITS.has(figure.unit) && unit !== "percent" && unit !== SPANS)) return false;
  const rounding = figure.decimals < 1 ? 0 : Math.min(0.5 * 10 ** -figure.decimals, Math.abs(value) * 0.01);
  return Math.abs(value - figure.value) <= rounding + Math.abs(figure.value) * 1e-6 + 1e-12;
}

/** The numbers that a calculation may use: amounts in the units of their dimension, and constants. */
export function operandsOf(figures: readonly Figure[]): ReadonlySet<string> {
  const inUnits = ({ value, unit = "" }: Figure) => (FACTORS.get(unit) ?? []).map(({ factor }) => value / factor);
  const values = figures.flatMap((figure) => (figure.kind === "amount" ? [figure.value, ...inUnits(figure)] : []));
  return new Set([...BOUNDS.calculations.constants, ...values].map(toKey));
}

const toKey = (value: number): string => value.toPrecision(10);

/** The value of an expression of operands, `+ - * / %` and parentheses, to 40 digits; not finite for any other text. */
export function evaluate(expression: string, operands: ReadonlySet<string>): Decimal {
  const values: Decimal[] = [];
  const put = (value: Decimal): string => `#${values.push(value) - 1}`;
  const read = (digits: string) => put(operands.has(toKey(Number(digits))) ? new Exact(digits) : INVALID);
  const factorOf = (text: string): Decimal => {
    const [, sign = "", at = "none", percent] = /^([-−/÷]?)#(\d+)(%?)$/.exec(text) ?? [];
    const value = (values[Number(at)] ?? INVALID).div(percent === "%" ? 100 : 1);
    return sign === "" ? value : /[/÷]/.test(sign) ? new Exact(1).div(value) : value.neg();
  };
  const product = (text: string) =>
    text.split(/[*×]|(?=[/÷])/).reduce((all, factor) => all.times(factorOf(factor)), new Exact(1));
  const sum = (text: string) => text.split(/\+|(?=[-−])/).reduce((all, term) => all.plus(product(term)), new Exact(0));
  function withoutGroups(text: string): string {
    const next = text.replace(/\(([^()]*)\)/g, (_, inner: string) => put(sum(inner)));
    return next === text ? text : withoutGroups(next);
  }
  const plain = expression.replace(/(?<=\d),(?=\d{3})/g, "").replace(/\d+(?:\.\d+)?/g, read);
  return expression.length > BOUNDS.calculations.length ? INVALID : sum(withoutGroups(plain.replace(/\s/g, "")));
}

/** Whether one of the results equals an amount, within its rounding; a whole number is rounded only if called inexact. */
export function isResult(figure: Figure, results: readonly Decimal[], isAbout: boolean): boolean {
  const written = figure.value / figure.factor;
  const rounding = figure.decimals === 0 && !isAbout ? 0 : 0.5 * 10 ** -figure.decimals;
  const most = Math.abs(written) * 1e-12 + rounding;
  const equals = (result: Decimal): boolean => result.minus(written).abs().lte(most);
  const isOne = (result: Decimal) => equals(result) || (figure.unit === "percent" && equals(result.times(100)));
  return figure.kind === "amount" && results.some(isOne);
}
