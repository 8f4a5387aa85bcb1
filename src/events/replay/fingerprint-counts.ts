const INITIAL_SLOTS = 1024; // Of a table; it grows when more than MAX_LOAD_FACTOR of them are used.
const MAX_LOAD_FACTOR = 0.8;
const GROWTH = 1.5;
const WIDTH = 4; // Numbers of a slot: the fingerprint's two words, the first 0 in a free slot, and the two counts.
const [STORED, SEEN] = [2, 3] as const;

/** How often fingerprints occur in a log and in an input: an open-addressing hash table on 64 bits of each, which takes
 * 20 to 30 bytes per fingerprint; a Map takes about 150. */
export class FingerprintCounts {
  #slots = new Uint32Array(WIDTH * INITIAL_SLOTS);
  size = 0; // Different fingerprints.

  readonly stored = (fingerprint: string): number => this.#add(fingerprint, STORED, 0); // How often the log has it.
  readonly addStored = (fingerprint: string): number => this.#add(fingerprint, STORED, 1); // Counts an event of the log.
  /** Counts a line of the input. @returns its occurrence, from 1 */
  readonly addSeen = (fingerprint: string): number => this.#add(fingerprint, SEEN, 1);

  /** Forgets the log, not the input. */
  clearStored(): void {
    for (let at: number = STORED; at < this.#slots.length; at += WIDTH) this.#slots[at] = 0;
  }

  #add(fingerprint: string, kind: typeof STORED | typeof SEEN, more: number): number {
    const at = this.#slotOf(fingerprint) + kind;
    return (this.#slots[at]! += more);
  }

  #slotOf(fingerprint: string): number {
    if (this.size > (this.#slots.length / WIDTH) * MAX_LOAD_FACTOR) this.#grow();
    const words = Buffer.from(fingerprint.slice(0, 8), "latin1");
    const [high, low] = [words.readUInt32BE(0) || 1, words.readUInt32BE(4)];
    const slot = this.#find(high, low);
    if (this.#slots[slot] === 0) {
      this.#slots.set([high, low], slot);
      this.size += 1;
    }
    return slot;
  }

  #find(high: number, low: number): number {
    const slots = this.#slots;
    let at = WIDTH * (low % (slots.length / WIDTH));
    while (slots[at] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) at = (at + WIDTH) % slots.length;
    return at;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Uint32Array(WIDTH * Math.ceil((slots.length / WIDTH) * GROWTH));
    for (let at = 0; at < slots.length; at += WIDTH) {
      const slot = slots.subarray(at, at + WIDTH);
      if (slot[0] !== 0) this.#slots.set(slot, this.#find(slot[0]!, slot[1]!));
    }
  }
}
