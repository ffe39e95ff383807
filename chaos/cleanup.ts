import { scratchFolder } from '../test/support/program.ts';

const leftovers = new Set<() => Promise<void>>();

/** Something that must not outlive the run, also when it is interrupted. Answers the same stop, to be called by whoever is done. */
export function registerCleanup(stop: () => Promise<void>): () => Promise<void> {
  const once = async (): Promise<void> => {
    if (leftovers.delete(once)) await stop();
  };
  leftovers.add(once);
  return once;
}

/** Stops what is left, the latest first. */
export async function runCleanups(): Promise<void> {
  for (const stop of [...leftovers].reverse()) await stop();
}

/** A folder for the run, gone after it. */
export async function runFolder(): ReturnType<typeof scratchFolder> {
  const { path, remove } = await scratchFolder();
  return { path, remove: registerCleanup(remove) };
}
