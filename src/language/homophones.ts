import type { Dictionary } from "./dictionary/dictionary.ts";

/** Readings that input methods and dialects confuse: zh and z, ch and c, sh and s, ng and n. */
function similarReading(reading: string): string {
  return reading.replace(/^([zcs])h/, "$1").replace(/ng$/, "n");
}

/** Most readings of a character that are considered. */
const READINGS = 2;

/** The characters of a text by their sound, to find what a misspelt Chinese word stands for. */
export class Homophones {
  readonly #dictionary: Dictionary;
  readonly #known = new Set<string>();
  readonly #bySound = new Map<string, string[]>();

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** Adds a character to choose from. */
  add(character: string): void {
    if (this.#known.has(character)) return;
    this.#known.add(character);
    for (const sound of this.#soundsOf(character)) {
      const same = this.#bySound.get(sound) ?? [];
      this.#bySound.set(sound, same);
      same.push(character);
    }
  }

  /** Words of two characters that sound like this one, of the added characters. */
  *pairsLike(pair: string): Generator<string> {
    const [first = "", second = ""] = Array.from(pair);
    for (const a of this.#like(first)) for (const b of this.#like(second)) if (a + b !== pair) yield a + b;
  }

  #like(character: string): Set<string> {
    return new Set(this.#soundsOf(character).flatMap((sound) => this.#bySound.get(sound) ?? []));
  }

  #soundsOf(character: string): string[] {
    const sounds = this.#dictionary.readings(character).filter((reading) => /^[a-z]+$/.test(reading));
    return [...new Set(sounds.map(similarReading))].slice(0, READINGS);
  }
}
