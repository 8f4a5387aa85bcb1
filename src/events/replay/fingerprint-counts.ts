const INITIAL_SLOTS = 1024; // Of a table; it grows when more than MAX_LOAD_FACTOR of them are used.
const MAX_LOAD_FACTOR = 0.8;
const GROWTH = 1.5;
const MAX_BYTE = 255; // Counts from here on are in a separate Map.

const [STORED, SEEN] = [0, 1] as const;

/** How often fingerprints occur in a log and in an input: an open-addressing hash table on 64 bits of each, which takes
 * 13 to 19 bytes per fingerprint; a Map takes about 150. */
export class FingerprintCounts {
  #keys = new Uint32Array(2 * INITIAL_SLOTS); // Of each slot the fingerprint's two words; the first is 0 in a free slot.
  #counts = new Uint8Array(2 * INITIAL_SLOTS); // Of each slot a count of each `Kind`.
  readonly #large = [new Map<string, number>(), new Map<string, number>()] as const; // Larger ones, by fingerprint.
  size = 0; // Different fingerprints.

  readonly stored = (fingerprint: string): number => this.#add(fingerprint, STORED, 0); // How often the log has it.
  readonly addStored = (fingerprint: string): number => this.#add(fingerprint, STORED, 1); // Counts an event of the log.
  /** Counts a line of the input. @returns its occurrence, from 1 */
  readonly addSeen = (fingerprint: string): number => this.#add(fingerprint, SEEN, 1);

  /** Forgets the log, not the input. */
  clearStored(): void {
    for (let at: number = STORED; at < this.#counts.length; at += 2) this.#counts[at] = 0;
    this.#large[STORED].clear();
  }

  #add(fingerprint: string, kind: typeof STORED | typeof SEEN, more: number): number {
    const at = this.#slotOf(fingerprint) + kind;
    const count = this.#counts[at]!;
    if (count < MAX_BYTE) return (this.#counts[at] = count + more);
    const large = (this.#large[kind].get(fingerprint) ?? MAX_BYTE) + more;
    this.#large[kind].set(fingerprint, large);
    return large;
  }

  #slotOf(fingerprint: string): number {
    if (this.size > (this.#keys.length / 2) * MAX_LOAD_FACTOR) this.#grow();
    const high = word(fingerprint, 0) || 1;
    const low = word(fingerprint, 4);
    const slot = this.#find(high, low);
    if (this.#keys[slot] === 0) {
      this.#keys[slot] = high;
      this.#keys[slot + 1] = low;
      this.size += 1;
    }
    return slot;
  }

  #find(high: number, low: number): number {
    const keys = this.#keys;
    let slot = 2 * (low % (keys.length / 2));
    while (keys[slot] !== 0 && (keys[slot] !== high || keys[slot + 1] !== low)) slot = (slot + 2) % keys.length;
    return slot;
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    const length = 2 * Math.ceil((keys.length / 2) * GROWTH);
    this.#keys = new Uint32Array(length);
    this.#counts = new Uint8Array(length);
    for (let from = 0; from < keys.length; from += 2) {
      if (keys[from] === 0) continue;
      const slot = this.#find(keys[from]!, keys[from + 1]!);
      for (const part of [0, 1]) {
        this.#keys[slot + part] = keys[from + part]!;
        this.#counts[slot + part] = counts[from + part]!;
      }
    }
  }
}

function word(text: string, at: number): number {
  const [a, b, c, d] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}
