import type { Dictionary } from "./dictionary/dictionary.ts";

/** Readings that input methods and dialects confuse: zh and z, ch and c, sh and s, ng and n. */
const similarReading = (reading: string): string => reading.replace(/^([zcs])h/, "$1").replace(/ng$/, "n");

const MOST_READINGS = 2;

export type Homophones = ReturnType<typeof createHomophones>;

/** The characters of a text by their sound, to find what a misspelt Chinese word stands for. */
export function createHomophones({ readings }: Pick<Dictionary, "readings">) {
  const known = new Set<string>();
  const bySound = new Map<string, string[]>();

  function soundsOf(character: string): string[] {
    const sounds = readings(character).filter((reading) => /^[a-z]+$/.test(reading));
    return [...new Set(sounds.map(similarReading))].slice(0, MOST_READINGS);
  }

  function like(character: string): Set<string> {
    return new Set(soundsOf(character).flatMap((sound) => bySound.get(sound) ?? []));
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
      const [firsts, seconds] = Array.from(pair, (character) => [...like(character)]);
      return firsts!.flatMap((a) => seconds!.map((b) => a + b)).filter((other) => other !== pair);
    },
  };
}
