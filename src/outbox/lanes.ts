import { groupBy } from '../kit/groupBy.ts';

/** Runs at most `count` pieces of work at once; the others wait their turn, in order. */
export function lanes(count: number): <T>(work: () => Promise<T>) => Promise<T> {
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

/** Of one business beside others: fewer are not worth a list of their own. */
const SEVERAL = 4;

/**
 * Parts a list so that nobody waits for a busy business: each business with more than `few` entries gets a list of its own,
 * since its lists queue for the same locks, and so does one that has several and more than all others together, since a list
 * is as slow as it is long. The others share one.
 */
export function apart<T extends OfBusiness>(entries: readonly T[], few: number): { shared: T[]; own: T[][] } {
  const lists = [...groupBy(entries, ({ business_id }) => business_id).values()];
  const isBusy = ({ length }: T[]): boolean =>
    length > few || (lists.length > 1 && length >= SEVERAL && length > entries.length - length);
  return { shared: lists.filter((list) => !isBusy(list)).flat(), own: lists.filter(isBusy) };
}
