/** Slots for which several take turns. */
export interface Slots {
  /** If none is free, `retry` is called in its turn. */
  take(retry: () => void): boolean;
  release(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const turns = new Set<() => void>();
  return {
    take(retry) {
      if (free === 0) {
        turns.add(retry);
        return false;
      }
      turns.delete(retry);
      free -= 1;
      return true;
    },
    release() {
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
