import { readFileSync } from "node:fs";

interface Exports extends Readonly<Record<"addRows" | "products" | "addHidden", (...values: number[]) => void>> {
  readonly memory: { readonly buffer: ArrayBuffer };
}
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
};
const module = (): object => new WebAssembly.Module(readFileSync(new URL("vector-kernel.wasm", import.meta.url)));

export const WIDTH = 32; // Numbers of a vector.
const MAX_INPUTS = 256;
const SCRATCH = 256; // Bytes at the start that the functions use.
/** Weights in the memory: for each input a vector with the weights of all outputs. `rows`: address of the list of these. */
export type Layer = Readonly<Record<"rows" | "inputs", number>>;

/** The functions of `vector-kernel.wat`, which documents them, and their memory. Addresses are in bytes. */
export class VectorKernel {
  readonly call = new WebAssembly.Instance(module()).exports;
  readonly floats = new Float32Array(this.call.memory.buffer);
  readonly integers = new Int32Array(this.call.memory.buffer);
  #end = SCRATCH;
  readonly input = this.reserve(MAX_INPUTS); // Of a layer.

  /** Reserves room for numbers, all 0. Returns its address, a multiple of 16. */
  reserve(numbers: number): number {
    const start = this.#end;
    this.#end += 16 * Math.ceil(numbers / 4);
    return start;
  }

  /** Places a layer of at most 256 inputs and {@link WIDTH} outputs. */
  layer(inputs: number, outputs: number, weightOf: (input: number, output: number) => number): Layer {
    const [rows, start] = [this.reserve(inputs), this.reserve(WIDTH * inputs)];
    for (let input = 0; input < inputs; input++) {
      const row = start + 4 * WIDTH * input;
      this.integers[rows / 4 + input] = row;
      for (let output = 0; output < outputs; output++) this.floats[row / 4 + output] = weightOf(input, output);
    }
    return { rows, inputs };
  }

  /** Adds the outputs of a layer to the vector at `target`. Its inputs are those at {@link input}. */
  addOutputs(target: number, { rows, inputs }: Layer): void {
    this.call.addRows(target, rows, inputs, 0, this.input);
  }

  /** Sets a vector to 0. */
  clear(address: number): void {
    for (let at = 0; at < WIDTH; at++) this.floats[(address >> 2) + at] = 0;
  }
}
