import type { SeededRandom } from '../seededRandom.ts';

/** How a provider treats one request. */
export type FaultKind =
  | 'answers'
  /** Says surely no: nothing was taken, and another try is welcome. */
  | 'refuses'
  /** Resets the connection on seeing the head of the request: nothing was taken. */
  | 'resets before'
  /** Takes it, and resets the connection. */
  | 'resets after'
  /** Takes it, and never says so. */
  | 'hangs'
  /** Takes it, and breaks off in the middle of saying so. */
  | 'breaks off';

/** A request that arrived whole. */
export interface Submit {
  provider: string;
  /** Our name for the send: the same on each of its attempts. */
  reference: string;
  accepted: boolean;
}

/** The log of the providers: every request that each received. Waypost cannot influence it. */
export class ProviderLog {
  readonly #submits: Submit[] = [];
  readonly #faults = new Map<FaultKind, number>();

  record(submit: Submit): void {
    this.#submits.push(submit);
  }

  count(fault: FaultKind): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  get faultCounts(): Record<string, number> {
    return Object.fromEntries(this.#faults);
  }

  get size(): number {
    return this.#submits.length;
  }

  /** What was taken, by reference: who took it, as often as it did. */
  acceptedBy(): Map<string, string[]> {
    const taken = new Map<string, string[]>();
    for (const { reference, provider, accepted: wasTaken } of this.#submits)
      if (wasTaken) taken.set(reference, [...(taken.get(reference) ?? []), provider]);
    return taken;
  }

  /** Sends that were submitted again after a provider had taken them. */
  resubmitted(): string[] {
    const taken = new Set<string>();
    const second = new Set<string>();
    for (const submit of this.#submits) {
      if (taken.has(submit.reference)) second.add(submit.reference);
      if (submit.accepted) taken.add(submit.reference);
    }
    return [...second];
  }
}

/** The parts of all requests that are treated badly; everything else is answered. */
const BAD: readonly (readonly [FaultKind, number])[] = [
  ['refuses', 0.03],
  ['resets before', 0.02],
  ['resets after', 0.02],
  ['hangs', 0.01],
  ['breaks off', 0.01],
];

/** Misbehaves until it is healed. */
export class FaultProfile {
  readonly #chance: SeededRandom;
  #healed = false;

  constructor(chance: SeededRandom) {
    this.#chance = chance;
  }

  heal(): void {
    this.#healed = true;
  }

  next(): FaultKind {
    if (this.#healed) return 'answers';
    let lot = this.#chance.next();
    for (const [fault, part] of BAD) {
      if (lot < part) return fault;
      lot -= part;
    }
    return 'answers';
  }
}
