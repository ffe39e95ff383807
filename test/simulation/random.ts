/** The only source of randomness of a simulation (sfc32): a seed always gives the same choices, ids and secrets. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream = 0) {
    this.#a = seed >>> 0;
    this.#b = (seed / 2 ** 32) >>> 0;
    this.#c = stream >>> 0;
    // The first numbers of neighbouring seeds are similar.
    for (let round = 0; round < 20; round += 1) this.#bits();
  }

  /** Uniform, at least 0 and below 1. */
  next(): number {
    return this.#bits() / 2 ** 32;
  }

  /** An integer, at least 0 and below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const [chosen] = list.slice(this.below(list.length));
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  /** A weighted choice. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return this.pick(choices)[1];
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let place = 0; place < size; place += 1) bytes[place] = this.#bits() & 0xff;
    return bytes;
  }

  #bits(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }
}
