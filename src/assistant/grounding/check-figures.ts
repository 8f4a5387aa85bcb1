import type { Figure } from "./figures.ts";

/** Words for an amount that is not exact, and for one that was computed from others. */
const ABOUT =
  /about|around|roughly|nearly|almost|approx|over|more than|less than|under|some|~|≈|约|大概|将近|接近|近|超过|多|余|左右|上下|不到/;
const COMPUTED =
  /total|sum|together|altogether|combined|overall|differ|more|less|fewer|save|times|remain|left|per|each|twice|double|half|[=+×*]|adds? up|equals?|works out|(?<![a-z])so(?![a-z])|i\.e|that is|equivalent|cost|pay|receive|arrive|net|after|becomes|for \d|共|合计|总|加起来|差|多|少|省|剩|倍|每|等于|相当于|即|也就是|实际|到账|需|换|兑|折|得|约|要|收/;
/** Greatest difference of an amount that is said not to be exact; of two spans of time that are the same in the calendar. */
const TOLERANCE = { about: 0.05, calendar: 0.035 };
/** Most figures that sums are made of. */
const MOST_PARTS = 40;

/**
 * Whether the sources state a figure, or what it is computed from; dates and times may stand in the question too.
 *
 * @param parts what may be computed with
 */
export function isStated(
  figure: Figure,
  text: string,
  stated: readonly Figure[],
  asked: readonly Figure[],
  parts: readonly Figure[],
): boolean {
  if (stated.some((other) => isSame(figure, other, ABOUT.test(near(text, figure))))) return true;
  if (figure.kind === "date" || figure.kind === "time") return asked.some((other) => isSame(figure, other, false));
  return COMPUTED.test(text) && isComputed(figure, parts);
}

function near(text: string, { start, end }: Figure): string {
  return text.slice(Math.max(0, start - 16), end + 4);
}

/** Whether two figures are the same, whatever their notation. */
export function isSame(a: Figure, b: Figure, isAbout: boolean): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "date") return isSameDate(a, b);
  if (a.kind === "time")
    return a.value === b.value || Math.abs(a.value - b.value) === 480 || Math.abs(a.value - b.value) === 720;
  if (!isSameUnit(a, b)) return false;
  const difference = Math.abs(a.value - b.value);
  const most = Math.max(Math.abs(a.value), Math.abs(b.value));
  if (difference <= most * 1e-9) return true;
  if (a.unit === "time" && b.unit === "time" && most > 2_000_000) return difference <= most * TOLERANCE.calendar;
  if (isAbout && difference <= most * TOLERANCE.about) return true;
  const isRounded = String(a.value).replace(/\D/g, "").length >= 3 || (a.unit === "percent" && a.decimals > 0);
  return isRounded && a.decimals < b.decimals && difference <= 0.5 * 10 ** -a.decimals * a.factor * 1.0001;
}

function isSameDate(a: Figure, b: Figure): boolean {
  if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
  const [monthA, monthB] = [Math.floor(a.value / 100), Math.floor(b.value / 100)];
  const [dayA, dayB] = [a.value % 100, b.value % 100];
  return (monthA === monthB || monthA === 0 || monthB === 0) && (dayA === dayB || dayA === 0);
}

/** Units that a plain number may have. */
const COUNTS: ReadonlySet<string> = new Set(["times", "count"]);

function isSameUnit({ unit: a }: Figure, { unit: b }: Figure): boolean {
  if (a === b || b === undefined) return true;
  if (a === undefined) return b !== "percent";
  return COUNTS.has(a) || COUNTS.has(b);
}

/**
 * Whether a figure is computed from two others or from a run of them: a sum or difference of like amounts, an amount times a
 * rate, a count or the price of one, a share.
 */
function isComputed(figure: Figure, from: readonly Figure[]): boolean {
  const parts = from.filter((part) => part.kind === "amount" && part !== figure).slice(0, MOST_PARTS);
  return parts.some((a, at) => {
    let sum = a.value;
    return parts.slice(at).some((b, next) => {
      const isAlike = a.unit === b.unit && hasUnitOf(figure, a, b);
      if (isAlike && next > 0) sum += b.value;
      if (
        isAlike &&
        next > 0 &&
        [sum, a.value + b.value, Math.abs(a.value - b.value)].some((other) => isEqual(other, figure))
      )
        return true;
      return next > 0 && (isMultiple(figure, a, b) || isMultiple(figure, b, a));
    });
  });
}

function isEqual(value: number, figure: Figure): boolean {
  return Math.abs(value - figure.value) <= Math.abs(figure.value) * 1e-6 + 1e-12;
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
  if (by.unit !== undefined && amount.unit === undefined) return false;
  return isEqual((value * by.value) / by.factor, figure);
}
