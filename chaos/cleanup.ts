import { scratchFolder } from '../test/support/scratchFolder.ts';

const leftovers = new Set<() => Promise<void>>();

/** Registers a stop for interrupted runs. Returns a stop that runs at most once, for the normal end. */
export function registerCleanup(stop: () => Promise<void>): () => Promise<void> {
  const once = async (): Promise<void> => {
    if (leftovers.delete(once)) await stop();
  };
  leftovers.add(once);
  return once;
}

/** Latest first. */
export async function runCleanups(): Promise<void> {
  for (const stop of [...leftovers].reverse()) await stop();
}

/** A folder that is deleted after the run. */
export async function runFolder(): ReturnType<typeof scratchFolder> {
  const { path, remove } = await scratchFolder();
  return { path, remove: registerCleanup(remove) };
}
