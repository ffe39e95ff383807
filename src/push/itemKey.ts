import { BATCH_MAX } from '../config/limits.ts';

/** The key of an item of a batch: a single push that brings it is the same push. */
export const itemKey = (batchKey: string, index: number): string => `${batchKey}#${index}`;

/** The item that a push with this key would be, if there is such a batch. */
export function itemOf(key: string): { batchKey: string; index: number } | null {
  const at = key.lastIndexOf('#');
  if (at < 1) return null;
  const batchKey = key.slice(0, at);
  const index = Number(key.slice(at + 1));
  const isIndex = Number.isInteger(index) && index >= 0 && index < BATCH_MAX;
  return isIndex && itemKey(batchKey, index) === key ? { batchKey, index } : null;
}

const LEVELS = Array.from({ length: Math.ceil(Math.log2(BATCH_MAX + 1)) }, (_, level) => level);

/*
 * Items lie in blocks of 1, 2, 4 … of them. A batch is a few blocks (100 = 64 + 32 + 4), an item lies in one of each size: they
 * have a block in common just when the item is one of the batch's.
 */

/** The blocks that the items of a batch fill. */
export const blocksOf = (items: number): string[] =>
  LEVELS.filter((level) => (items >> level) & 1).map((level) => `${level}:${(items >> level) - 1}`);

/** The blocks that an item lies in. */
export const blocksAround = (index: number): string[] => LEVELS.map((level) => `${level}:${index >> level}`);
