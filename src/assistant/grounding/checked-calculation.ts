import { Decimal } from "decimal.js";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import { FACTORS, type Figure } from "./figures.ts";

const { calculations: MOST } = BOUNDS;
const Exact = Decimal.clone({ precision: 40 });
const INVALID = new Exact(Number.NaN);
/** The numbers that a calculation may use: amounts in the units of their dimension, and constants. */
export function operandsOf(figures: readonly Figure[]): ReadonlySet<string> {
  const inUnits = ({ value, unit = "" }: Figure) => (FACTORS.get(unit) ?? []).map(({ factor }) => value / factor);
  const values = figures.flatMap((figure) => (figure.kind === "amount" ? [figure.value, ...inUnits(figure)] : []));
  return new Set([...MOST.constants, ...values].map(toKey));
}

const toKey = (value: number): string => value.toPrecision(10);

/** The value of an expression of operands, `+ - * / %` and parentheses, to 40 digits; not finite for any other text.
 * @example evaluate("(2600 - 2000) * 0.6%", operandsOf(figures)); // 3.6 */
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
  return expression.length > MOST.length ? INVALID : sum(withoutGroups(plain.replace(/\s/g, "")));
}

/** Whether one of the results is an amount, rounded as it is written; a whole one only where it is said to be inexact. */
export function isResult(figure: Figure, results: readonly Decimal[], isAbout: boolean): boolean {
  const written = figure.value / figure.factor;
  const rounding = figure.decimals === 0 && !isAbout ? 0 : 0.5 * 10 ** -figure.decimals;
  const most = Math.abs(written) * 1e-12 + rounding;
  const equals = (result: Decimal): boolean => result.minus(written).abs().lte(most);
  const isOne = (result: Decimal) => equals(result) || (figure.unit === "percent" && equals(result.times(100)));
  return figure.kind === "amount" && results.some(isOne);
}
