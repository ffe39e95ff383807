export type Slots = ReturnType<typeof createSlots>;

/** Slots for which several take turns. */
export function createSlots(count: number) {
  let free = count;
  const turns = new Set<() => void>();
  return {
    /** If none is free, `retry` is called in its turn. */
    take(retry: () => void): boolean {
      if (free === 0) {
        turns.add(retry);
        return false;
      }
      turns.delete(retry);
      free -= 1;
      return true;
    },
    release(): void {
      free += 1;
      for (const retry of turns) {
        if (free === 0) return;
        turns.delete(retry);
        retry();
      }
    },
  };
}

export const UNBOUNDED: Slots = { take: () => true, release: () => {} };
