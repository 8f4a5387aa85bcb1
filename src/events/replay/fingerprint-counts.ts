/** Slots of a table; it grows when more than {@link MOST_FILLED} of them are used. */
const FIRST_SLOTS = 1024;
const MOST_FILLED = 0.8;
const GROWTH = 1.5;
/** Counts from here on are kept apart. */
const MOST_IN_BYTE = 255;

/** Counts of slots, one byte each. */
class Counts {
  bytes = new Uint8Array(FIRST_SLOTS);
  /** Counts above {@link MOST_IN_BYTE}, by fingerprint. */
  readonly #large = new Map<string, number>();

  add(slot: number, fingerprint: string): number {
    if (this.bytes[slot]! < MOST_IN_BYTE) return ++this.bytes[slot]!;
    const count = (this.#large.get(fingerprint) ?? MOST_IN_BYTE) + 1;
    this.#large.set(fingerprint, count);
    return count;
  }

  get(slot: number, fingerprint: string): number {
    const count = this.bytes[slot]!;
    return count < MOST_IN_BYTE ? count : (this.#large.get(fingerprint) ?? count);
  }

  clear(): void {
    this.bytes.fill(0);
    this.#large.clear();
  }
}

/**
 * How often fingerprints occur in a log and in an input: an open-addressing hash table on 64 bits of each, which takes 13
 * to 19 bytes a fingerprint, where a Map takes about 150.
 */
export class FingerprintCounts {
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS);
  readonly #stored = new Counts();
  readonly #seen = new Counts();
  #size = 0;

  /** Different fingerprints. */
  get size(): number {
    return this.#size;
  }

  /** How often the log has it. */
  stored(fingerprint: string): number {
    return this.#stored.get(this.#slotOf(fingerprint), fingerprint);
  }

  /** Counts an event of the log. */
  addStored(fingerprint: string): void {
    this.#stored.add(this.#slotOf(fingerprint), fingerprint);
  }

  /** Counts a line of the input. @returns its occurrence, from 1 */
  addSeen(fingerprint: string): number {
    return this.#seen.add(this.#slotOf(fingerprint), fingerprint);
  }

  /** Forgets the log, not the input. */
  clearStored(): void {
    this.#stored.clear();
  }

  #slotOf(fingerprint: string): number {
    if (this.#size > this.#high.length * MOST_FILLED) this.#grow();
    // 0 and 0 mark a free slot.
    const high = word(fingerprint, 0) || 1;
    const low = word(fingerprint, 4);
    const slot = this.#find(high, low);
    if (this.#high[slot] === 0) {
      this.#high[slot] = high;
      this.#low[slot] = low;
      this.#size += 1;
    }
    return slot;
  }

  #find(high: number, low: number): number {
    const slots = this.#high.length;
    let slot = low % slots;
    while (this.#high[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) slot = (slot + 1) % slots;
    return slot;
  }

  #grow(): void {
    const [high, low, stored, seen] = [this.#high, this.#low, this.#stored.bytes, this.#seen.bytes];
    const slots = Math.ceil(high.length * GROWTH);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#stored.bytes = new Uint8Array(slots);
    this.#seen.bytes = new Uint8Array(slots);
    for (const [from, key] of high.entries()) {
      if (key === 0) continue;
      const slot = this.#find(key, low[from]!);
      this.#high[slot] = key;
      this.#low[slot] = low[from]!;
      this.#stored.bytes[slot] = stored[from]!;
      this.#seen.bytes[slot] = seen[from]!;
    }
  }
}

/** Four characters of one byte each as an unsigned integer. */
function word(text: string, at: number): number {
  const [a, b, c, d] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}
