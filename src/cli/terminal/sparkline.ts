const BARS = "▁▂▃▄▅▆▇█";

/** Draws values of 0 and more as bars of eighths of a line, the largest the highest; a 0 is a blank. Where there are
 * more values than columns, a bar shows the largest of several. */
export function sparkline(values: readonly number[], columns: number): string {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, columns)));
  const bars = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    Math.max(...values.slice(index * size, (index + 1) * size)),
  );
  const most = Math.max(...bars);
  return bars.map((value) => (value === 0 ? " " : BARS[Math.ceil((value / most) * BARS.length) - 1]!)).join("");
}
