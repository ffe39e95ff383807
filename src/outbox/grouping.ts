import { groupBy } from '../kit/groupBy.ts';

/** Runs at most `count` groups at once; the others wait, in order. */
export function limitGroups(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

interface OfBusiness {
  business_id: string;
}

/** Of one business beside others: fewer are not worth a group of their own. */
const SEVERAL = 4;

/**
 * Splits sends so that nobody waits for a busy business. A business with more than `few` sends gets a group of its own, since its
 * groups queue for the same locks; so does one with several sends and more than all others together, since a group takes
 * as long as it is large. The others share one group.
 */
export function splitGroups<T extends OfBusiness>(
  entries: readonly T[],
  few: number,
): { shared: T[]; own: T[][] } {
  const groups = [...groupBy(entries, ({ business_id }) => business_id).values()];
  const isBusy = ({ length }: T[]): boolean =>
    length > few || (groups.length > 1 && length >= SEVERAL && length > entries.length - length);
  return { shared: groups.filter((group) => !isBusy(group)).flat(), own: groups.filter(isBusy) };
}
