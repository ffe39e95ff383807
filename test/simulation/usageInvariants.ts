import type { Client } from 'pg';
import { counters } from '../../src/usage/counters.ts';
import { countsByDay } from '../../src/usage/read.ts';
import { recountByDay } from '../../src/usage/rebuild.ts';
import type { Counts } from '../../src/usage/sql.ts';
import type { CommittedState } from './snapshot.ts';

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2100-01-01';

type Amounts = ReadonlyMap<string, number>;

/** After every commit, the usage counters equal a recount of the tables, plus what erasures deleted from these. */
export class UsageInvariant {
  /** What can no longer be counted, by business. */
  readonly #erased = new Map<string, Amounts>();

  async violations(monitor: Client, before: CommittedState, after: CommittedState): Promise<string[]> {
    const wrong: string[] = [];
    for (const { id } of after.businesses) {
      const counted = flat(await countsByDay(monitor, id, FIRST_DAY, LAST_DAY));
      const recounted = flat(await recountByDay(monitor, id, FIRST_DAY, LAST_DAY));
      if (hasErased(id, before, after)) this.#erased.set(id, difference(counted, recounted));
      const erased = this.#erased.get(id) ?? new Map<string, number>();
      for (const [name, amount] of difference(counted, recounted)) {
        if (amount !== (erased.get(name) ?? 0))
          wrong.push(
            `the usage of ${id} has ${name} at ${counted.get(name) ?? 0}, a recount at ${recounted.get(name) ?? 0}`,
          );
        else if (amount < 0 && !name.includes('credits'))
          wrong.push(`the usage of ${id} lost ${name} by an erasure`);
      }
    }
    return wrong;
  }
}

const hasErased = (businessId: string, before: CommittedState, after: CommittedState): boolean => {
  const still = new Set(after.recipients.map(({ id }) => id));
  return before.recipients.some(({ business_id, id }) => business_id === businessId && !still.has(id));
};

/** Each counter and each bucket of each day. */
function flat(days: ReadonlyMap<string, Counts>): Map<string, number> {
  const amounts = [...days].flatMap(([day, { amounts, openings }]) => [
    ...counters.map((counter, index) => [`${day} ${counter}`, amounts[index] ?? 0] as const),
    ...openings.map((count, bucket) => [`${day} bucket ${bucket}`, count] as const),
  ]);
  return new Map(amounts.filter(([, amount]) => amount !== 0));
}

/** Every name of either, with the amount by which the first has more. */
const difference = (a: Amounts, b: Amounts): Map<string, number> =>
  new Map([...a.keys(), ...b.keys()].map((name) => [name, (a.get(name) ?? 0) - (b.get(name) ?? 0)]));
