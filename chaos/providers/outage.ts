import type { SeededRandom } from '../../test/support/seededRandom.ts';
import type { FaultKind, Faults } from './providerLog.ts';

/**
 *   well    answers at once
 *   down    refuses connections: certainly nothing is taken
 *   slow    answers late, and says to some calls that it is busy
 *   lying   accepts and reports nothing
 */
export type Condition = 'well' | 'down' | 'slow' | 'lying';

/** Too few to move traffic by themselves. */
const BUSY_SHARE = 0.2;

/** The faults of a provider that is in one condition for a while. Its proxy refuses the connections. */
export class Outage implements Faults {
  condition: Condition = 'well';
  readonly endsConnections = true;
  readonly #chance: SeededRandom;

  constructor(chance: SeededRandom) {
    this.#chance = chance;
  }

  next(): FaultKind {
    if (this.condition === 'lying') return 'reports nothing';
    if (this.condition !== 'slow') return 'answers';
    return this.#chance.happens(BUSY_SHARE) ? 'refuses late' : 'answers late';
  }
}
