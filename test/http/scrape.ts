/** Series of a Prometheus text by their name and labels, as `name{label="value"}`. */
export type Series = ReadonlyMap<string, number>;

/**
 * Reads the text format of Prometheus strictly: every series has its HELP and TYPE before it, and comes once.
 *
 * @throws Error that names the first line that is not as it must be
 */
export function readSeries(text: string): Series {
  const series = new Map<string, number>();
  const types = new Map<string, string>();
  let helped = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const help = /^# HELP (\w+) \S/.exec(line);
    const type = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line);
    const sample = /^((\w+?)(_bucket|_sum|_count)?)(\{(?:\w+="[^"\\\n]*",?)*\})? (\S+)$/.exec(line);
    if (help !== null) helped = help[1]!;
    else if (type !== null && type[1] === helped) types.set(helped, type[2]!);
    else if (sample !== null) {
      const [, whole = "", stem = "", , labels = "", value = ""] = sample;
      const number = value === "+Inf" ? Infinity : value === "Nan" ? NaN : Number(value);
      const known = types.has(whole) || types.get(stem) === "histogram" || types.get(stem) === "summary";
      if (!known || series.has(whole + labels) || (value !== "Nan" && Number.isNaN(number))) throw new Error(line);
      series.set(whole + labels, number);
    } else throw new Error(line);
  }
  return series;
}
