import type { SeededRandom } from '../../test/support/seededRandom.ts';

/** The share of each fault; all other requests are answered. */
const FAULT_SHARES = [
  // Accepts nothing, and says that a retry is welcome.
  ['refuses', 0.03],
  // Accepts nothing, and resets the connection at the head of the request.
  ['resets before', 0.02],
  // Accepts, and resets the connection.
  ['resets after', 0.02],
  // Accepts, and never responds.
  ['hangs', 0.01],
  // Accepts, and resets the connection in the middle of the response.
  ['breaks off', 0.01],
] as const;

/** Of a provider's outage alone. */
type OutageFault = 'refuses late' | 'answers late' | 'reports nothing';

export type FaultKind = (typeof FAULT_SHARES)[number][0] | OutageFault | 'answers';

/** What the requests to a provider meet, one after the other. */
export interface Faults {
  next(): FaultKind;
  /** A response ends its connection, so that none is open when the provider goes down. */
  readonly endsConnections?: true;
}

export interface Submit {
  provider: string;
  reference: string;
  accepted: boolean;
  /** Whether the provider tells what became of it, as far as it accepted it. */
  reports: boolean;
  /** When it was answered, by the wall clock. */
  at: number;
}

/** Every request to the providers, independent of Waypost's own records. */
export class ProviderLog {
  /** Complete requests. The reference of a send is ours, the same on every attempt. */
  readonly submits: Submit[] = [];
  readonly faultCounts: Partial<Record<FaultKind, number>> = {};

  count(fault: FaultKind): void {
    this.faultCounts[fault] = (this.faultCounts[fault] ?? 0) + 1;
  }

  /** The providers that accepted each reference, one entry per accepted request. */
  acceptedBy(): Map<string, string[]> {
    const providers = new Map<string, string[]>();
    for (const { reference, provider, accepted } of this.submits)
      if (accepted) providers.set(reference, [...(providers.get(reference) ?? []), provider]);
    return providers;
  }

  /** What was accepted, and is never reported about. */
  unreported(): Set<string> {
    const silent = this.submits.filter(({ accepted, reports }) => accepted && !reports);
    return new Set(silent.map(({ reference }) => reference));
  }

  /** Sends that were submitted again after a provider had accepted them. */
  resubmitted(): string[] {
    const accepted = new Set<string>();
    const second = new Set<string>();
    for (const submit of this.submits) {
      if (accepted.has(submit.reference)) second.add(submit.reference);
      if (submit.accepted) accepted.add(submit.reference);
    }
    return [...second];
  }
}

/** Faults at random, until they are healed. */
export function createFaults(chance: SeededRandom) {
  let isHealed = false;
  return {
    heal: (): void => {
      isHealed = true;
    },
    next: (): FaultKind => {
      let lot = isHealed ? 1 : chance.next();
      for (const [fault, part] of FAULT_SHARES) {
        if (lot < part) return fault;
        lot -= part;
      }
      return 'answers';
    },
  };
}
