import { groupBy } from '../kit/groupBy.ts';

/** Runs at most `count` groups at once; the others wait in order of arrival. */
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

/** Fewer sends of a business do not justify a group of their own. */
const OWN_GROUP_MIN = 4;

/**
 * Splits sends so that no business waits for a busy one. A business with more than `few` sends gets its own group, since its
 * groups compete for the same locks. So does a business with at least four sends and more than all others combined, since
 * a large group takes long. The others share one group.
 */
export function splitGroups<T extends { business_id: string }>(
  entries: readonly T[],
  few: number,
): { shared: T[]; own: T[][] } {
  const groups = [...groupBy(entries, ({ business_id }) => business_id).values()];
  const isBusy = ({ length }: T[]): boolean =>
    length > few || (groups.length > 1 && length >= OWN_GROUP_MIN && length > entries.length - length);
  return { shared: groups.filter((group) => !isBusy(group)).flat(), own: groups.filter(isBusy) };
}
