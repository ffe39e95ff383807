import { BATCH_MAX } from '../config/limits.ts';

/** The key of an item of a batch: a single push that brings it is the same push. */
export const itemKey = (batchKey: string, index: number): string => `${batchKey}#${index}`;

/** The batch that a push with this key would be an item of, if there is such a batch. */
export function batchOf(key: string): string | null {
  const at = key.lastIndexOf('#');
  if (at < 1) return null;
  const batchKey = key.slice(0, at);
  const index = Number(key.slice(at + 1));
  const isIndex = Number.isInteger(index) && index >= 0 && index < BATCH_MAX;
  return isIndex && itemKey(batchKey, index) === key ? batchKey : null;
}
