import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { TROUBLES, type Trouble } from './troublesSql.ts';

/** The shops of one kind of trouble are counted up to here. */
export const TROUBLE_COUNTED_MAX = 100;

export interface CountedTrouble {
  name: Trouble;
  /** The newest shops, at most `TROUBLE_COUNTED_MAX`. */
  shops: string[];
}

const NAMES = Object.keys(TROUBLES).filter((name): name is Trouble => Object.hasOwn(TROUBLES, name));

/** The kind of trouble that an address names; null: none. */
export const troubleIn = (text: string | undefined): Trouble | null =>
  NAMES.find((name) => name === text) ?? null;

/** Which shops something is wrong with, by kind, the most urgent first. Kinds that no shop has are left out. */
export async function countTroubles(db: Queryable): Promise<CountedTrouble[]> {
  const counted = await Promise.all(
    NAMES.map(async (name) => {
      const rows = await TROUBLES[name].shopsBefore(db, AFTER_EVERY_ID, TROUBLE_COUNTED_MAX);
      return { name, shops: rows.map(({ id }) => id) };
    }),
  );
  return counted.filter(({ shops }) => shops.length > 0);
}

/** The shops that need attention, each once, the most urgent first. */
export const shopsInTrouble = (troubles: readonly CountedTrouble[]): string[] => [
  ...new Set(troubles.flatMap(({ name, shops }) => (TROUBLES[name].tone === 'plain' ? [] : shops))),
];
