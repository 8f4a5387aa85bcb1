import { readingsOf } from "./dictionary/dictionary.ts";

/** Readings that input methods and dialects confuse: zh and z, ch and c, sh and s, ng and n. */
const similarReading = (reading: string): string => reading.replace(/^([zcs])h/, "$1").replace(/ng$/, "n");
const MOST_READINGS = 2;

/** The characters of a text by their sound, to find what a misspelt Chinese word means. */
export function createHomophones() {
  const known = new Set<string>();
  const bySound = new Map<string, string[]>();

  function soundsOf(character: string): string[] {
    const sounds = readingsOf(character).filter((reading) => /^[a-z]+$/.test(reading));
    return [...new Set(sounds.map(similarReading))].slice(0, MOST_READINGS);
  }

  return {
    /** Adds a character to choose from. */
    add(character: string): void {
      if (known.has(character)) return;
      known.add(character);
      for (const sound of soundsOf(character)) bySound.set(sound, [...(bySound.get(sound) ?? []), character]);
    },
    /** Words of two characters that sound like this one, of the added characters. */
    pairsLike(pair: string): string[] {
      const [firsts, seconds] = Array.from(pair, (character) => {
        return Array.from(new Set(soundsOf(character).flatMap((sound) => bySound.get(sound) ?? [])));
      });
      return firsts!.flatMap((a) => seconds!.map((b) => a + b)).filter((other) => other !== pair);
    },
  };
}
