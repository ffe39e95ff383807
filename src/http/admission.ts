/** Lets a request in, or not. What is let in must be let go of again, once. */
export interface Admission {
  /** `bytes`: the most that its body may take. Null: there is no room. */
  admit(bytes: number): (() => void) | null;
}

/** More than wait for the database at once; whoever comes then is better told to come back than kept waiting. */
export const REQUESTS_MAX = 2_500;
/** Bodies are held whole while they arrive and until they are written: together they may take this much. */
export const BODIES_MAX = 256 * 1024 * 1024;

/** Counts what is under way in this process, so that neither callers nor their bodies can exhaust it. */
export function createAdmission({ requests = REQUESTS_MAX, bytes: most = BODIES_MAX } = {}): Admission {
  let inside = 0;
  let held = 0;
  return {
    admit(bytes) {
      // One alone always fits, however small the room.
      if (inside > 0 && (inside >= requests || held + bytes > most)) return null;
      inside += 1;
      held += bytes;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        inside -= 1;
        held -= bytes;
      };
    },
  };
}
