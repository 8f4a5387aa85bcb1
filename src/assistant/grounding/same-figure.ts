import BOUNDS from "./data/bounds.json" with { type: "json" };
import type { Figure } from "./figures.ts";
import { SAYS } from "./word-sets.ts";

const { figures: MOST } = BOUNDS;
const LOOSE: Readonly<Record<string, readonly string[]>> = BOUNDS.currencies;

/** Whether sources state a figure, or `parts` give it by computation; dates and times may stand in the question too. */
export function isStated(
  figure: Figure,
  text: string,
  stated: readonly Figure[],
  asked: readonly Figure[],
  parts: readonly Figure[],
): boolean {
  if (stated.some((other) => isSame(figure, other, SAYS.about.test(near(text, figure))))) return true;
  if (figure.kind === "date" && [...asked, ...stated].some((day) => parts.some((span) => isAfter(figure, day, span))))
    return true;
  if (figure.kind === "date" || figure.kind === "time") return asked.some((other) => isSame(figure, other, false));
  return SAYS.computed.test(text) && isComputed(figure, parts);
}

/** Whether a date is so many days before or after another: 21 days after 10 November. */
function isAfter(figure: Figure, from: Figure, span: Figure): boolean {
  if (
    from.kind !== "date" ||
    from.value < 100 ||
    from.value % 100 === 0 ||
    span.unit !== "time" ||
    span.factor < 86_400
  )
    return false;
  const start = Date.UTC(Number(from.unit ?? figure.unit ?? 2026), Math.floor(from.value / 100) - 1, from.value % 100);
  return [1, -1].some((sign) => {
    const day = new Date(start + sign * span.value * 1000);
    return figure.value === (day.getUTCMonth() + 1) * 100 + day.getUTCDate();
  });
}

const near = (text: string, { start, end }: Figure): string => text.slice(Math.max(0, start - 16), end + 4);

/** Whether two figures are the same, whatever their notation. */
export function isSame(a: Figure, b: Figure, isAbout: boolean): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "date") return isSameDate(a, b);
  if (a.kind === "time") return (a.value - b.value) % 1440 === 0;
  if (!isSameUnit(a, b)) return false;
  // "30" may be 30 days.
  if ((a.unit === undefined || b.unit === undefined) && a.value / a.factor === b.value / b.factor) return true;
  const difference = Math.abs(a.value - b.value);
  const most = Math.max(Math.abs(a.value), Math.abs(b.value));
  if (difference <= most * 1e-9) return true;
  if (isAbout && difference <= most * MOST.inexact) return true;
  const isRounded = String(a.value).replace(/\D/g, "").length >= 3 || (a.unit === "percent" && a.decimals > 0);
  return isRounded && a.decimals < b.decimals && difference <= 0.5 * 10 ** -a.decimals * a.factor * 1.0001;
}

function isSameDate(a: Figure, b: Figure): boolean {
  if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
  const [monthA, monthB] = [Math.floor(a.value / 100), Math.floor(b.value / 100)];
  const [dayA, dayB] = [a.value % 100, b.value % 100];
  return (monthA === monthB || monthA === 0 || monthB === 0) && (dayA === dayB || dayA === 0);
}

const COUNTS: ReadonlySet<string> = new Set(["times", "count"]);

/** Whether two units are the same as far as they are written: "$" and 元 are of several currencies. */
function isSameUnit({ unit: a }: Pick<Figure, "unit">, { unit: b }: Pick<Figure, "unit">): boolean {
  if (a === b || (b === undefined && a !== "weekday")) return true;
  if (a === undefined || b === undefined) return b !== "percent" && b !== "weekday" && b !== undefined;
  return COUNTS.has(a) || COUNTS.has(b) || LOOSE[a]?.includes(b) === true || LOOSE[b]?.includes(a) === true;
}

/** Whether a figure is the sum or difference of like amounts, or an amount times a rate, a count or a price. */
function isComputed(figure: Figure, from: readonly Figure[]): boolean {
  const parts = from.filter((part) => part.kind === "amount" && part !== figure).slice(0, MOST.summands);
  return parts.some((a, at) => {
    return parts.slice(at + 1).some((b) => {
      const isAlike = a.unit === b.unit && hasUnitOf(figure, a, b);
      const sums = isAlike ? [a.value + b.value, Math.abs(a.value - b.value)] : [];
      return sums.some((other) => isEqual(other, figure)) || isMultiple(figure, a, b) || isMultiple(figure, b, a);
    });
  });
}

/** Whether a result is the figure, rounded as that is written. */
function isEqual(value: number, figure: Figure): boolean {
  const rounding = figure.decimals < 2 ? 0 : Math.min(0.5 * 10 ** -figure.decimals, Math.abs(value) * MOST.inexact);
  return Math.abs(value - figure.value) <= rounding + Math.abs(figure.value) * 1e-6 + 1e-12;
}

function hasUnitOf({ unit }: Figure, ...parts: readonly Figure[]): boolean {
  return (
    unit === undefined || parts.every((part) => part.unit === undefined) || parts.some((part) => part.unit === unit)
  );
}

/** An amount times a rate, added or taken off too; or times a number, as a count or in a unit of its own. */
function isMultiple(figure: Figure, amount: Figure, by: Figure): boolean {
  if (!hasUnitOf(figure, amount)) return false;
  const { value } = amount;
  if (by.unit === "percent") {
    const part = (value * by.value) / 100;
    return [part, 2 * part, value - part, value + part].some((other) => isEqual(other, figure));
  }
  if (amount.unit === "percent" || (by.unit === amount.unit && by.unit !== undefined)) return false;
  // What a thing costs has the unit of the price.
  if (by.unit !== undefined && by.unit !== "time" && amount.unit === undefined) return false;
  return isEqual((value * by.value) / by.factor, figure);
}
