/** Words as unevenly distributed as those of a language (Zipf's law). */
const WORDS = {
  en: Array.from({ length: 20_000 }, (_, n) => `w${(n * 7919).toString(36)}`),
  zh: Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 5000), 0x4e00 + ((n * 7) % 5003))),
};
const BETWEEN = { en: " ", zh: "" };
const EVENTS = 400;

// A linear congruential generator: every run makes the same.
let state = 1;
export const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;

const word = (lang) => WORDS[lang][Math.floor(WORDS[lang].length ** random()) - 1] ?? WORDS[lang][0];

/** So many words of a language. */
export function words(count, lang = "en") {
  return Array.from({ length: count }, () => word(lang)).join(BETWEEN[lang]);
}

const events = Array.from({ length: EVENTS }, (_, n) => ({
  name: `Name${n.toString(36)} Corp${(n * 31).toString(36)} ${words(3)}`,
  told: { en: Array.from({ length: 8 }, () => word("en")), zh: Array.from({ length: 8 }, () => word("zh")) },
}));

let made = 0;
/** A word that no other item has. */
const ownWord = () => `x${String(made++).replace(/\d/g, (digit) => "ghijklmnop"[digit])}x`;

/** A new item about one of some hundred events: three of the title's words are among eight that the event is told in, two
 * are its own. @param at ms since the epoch */
export function entry(host, at, lang = "en") {
  const { name, told } = events[Math.floor(random() * EVENTS)];
  const shared = Array.from({ length: 3 }, () => told[lang][Math.floor(random() * 8)]).join(BETWEEN[lang]);
  const title = `${name} ${shared} ${ownWord()} ${ownWord()} ${word(lang)}`;
  return `<item><title>${title}</title><link>https://w${host}.example/${Math.floor(random() * 1e9)}</link><pubDate>${new Date(at).toUTCString()}</pubDate><description>${words(35, lang)}</description></item>`;
}

export const rssOf = (entries) => `<rss version="2.0"><channel><title>t</title>${entries.join("")}</channel></rss>`;

/** A feed of new items; feed `n` has its own host. One item is `every_ms` older than the one before. */
export function feed(n, { items, every_ms, lang = "en" }) {
  return rssOf(Array.from({ length: items }, (_, k) => entry(n, Date.now() - k * every_ms - n * 1000, lang)));
}
