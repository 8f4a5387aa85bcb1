import BOUNDS from "./data/bounds.json" with { type: "json" };
import { COUNT_UNITS, isCalculated } from "./calculation.ts";
import type { Figure } from "./figures.ts";
import { SAYS } from "./word-sets.ts";

const { figures: MOST } = BOUNDS;
const LOOSE: Readonly<Record<string, readonly string[]>> = BOUNDS.currencies;

/** Known figures: of the statement's passages, of the question, of nearby statements, and of all cited passages. */
type KnownFigures = Readonly<Record<"stated" | "asked" | "near" | "far", readonly Figure[]>>;

/** Whether sources state a figure, or it is calculated from others; dates and times may also come from the question. */
export function isStated(figure: Figure, text: string, { stated, asked, near, far }: KnownFigures): boolean {
  if (stated.some((other) => isSame(figure, other, isAbout(text, figure)))) return true;
  if (figure.kind === "amount") return isCalculated(figure, near, far, SAYS.computed.test(text));
  if (asked.some((other) => isSame(figure, other, false))) return true;
  const [days, spans] = [asked.concat(stated), near.concat(far)];
  return figure.kind === "date" && days.some((day) => spans.some((span) => isAfter(figure, day, span)));
}

/** Whether a date is a number of days (`span`) before or after another: 21 days after 10 November. */
function isAfter(figure: Figure, from: Figure, span: Figure): boolean {
  const isDay = from.kind === "date" && from.value > 100 && from.value % 100 > 0;
  if (!isDay || span.unit !== "time" || span.factor < 86_400) return false;
  const start = Date.UTC(Number(from.unit ?? figure.unit ?? 2026), Math.floor(from.value / 100) - 1, from.value % 100);
  return [1, -1].some((sign) => {
    const day = new Date(start + sign * span.value * 1000);
    return isSameDate(figure, { ...from, unit: undefined, value: (day.getUTCMonth() + 1) * 100 + day.getUTCDate() });
  });
}

/** Whether a text qualifies a figure as inexact. */
export const isAbout = (text: string, { start, end }: Figure): boolean =>
  SAYS.about.test(text.slice(Math.max(0, start - 16), end + 4));

/** Whether two figures are equal in any notation. */
export function isSame(a: Figure, b: Figure, isInexact: boolean): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "date") return isSameDate(a, b);
  if (a.kind === "time") return (a.value - b.value) % 1440 === 0;
  if (!isSameUnit(a, b)) return false;
  // "30" may be 30 days.
  if ((a.unit === undefined || b.unit === undefined) && a.value / a.factor === b.value / b.factor) return true;
  const difference = Math.abs(a.value - b.value);
  const most = Math.max(Math.abs(a.value), Math.abs(b.value));
  if (difference <= most * 1e-9) return true;
  if (isInexact && difference <= most * MOST.inexact) return true;
  const isRounded = String(a.value).replace(/\D/g, "").length >= 3 || (a.unit === "percent" && a.decimals > 0);
  return isRounded && a.decimals < b.decimals && difference <= 0.5 * 10 ** -a.decimals * a.factor * 1.0001;
}

function isSameDate(a: Figure, b: Figure): boolean {
  if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
  const [monthA, monthB] = [Math.floor(a.value / 100), Math.floor(b.value / 100)];
  const [dayA, dayB] = [a.value % 100, b.value % 100];
  return (monthA === monthB || monthA === 0 || monthB === 0) && (dayA === dayB || dayA === 0);
}

/** Whether two units are compatible as written: "$" and 元 stand for several currencies. */
function isSameUnit({ unit: a }: Pick<Figure, "unit">, { unit: b }: Pick<Figure, "unit">): boolean {
  if (a === b || (b === undefined && a !== "weekday")) return true;
  if (a === undefined || b === undefined) return b !== "percent" && b !== "weekday" && b !== undefined;
  return (COUNT_UNITS.has(a) && COUNT_UNITS.has(b)) || LOOSE[a]?.includes(b) === true || LOOSE[b]?.includes(a) === true;
}
