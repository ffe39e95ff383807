export interface RoundPlan {
  seconds: number;
  rounds: number;
}

/** Enough that concurrent batches rarely share a recipient: two batches of 100 do so once in twenty. */
export const RECIPIENTS = 200_000;
export const FEWER_RECIPIENTS = 20_000;
/** About the time between two host pauses, so that each round has its share of them. */
export const ROUNDS: RoundPlan = { seconds: 1.5, rounds: 3 };
/** For rows close to their limit. */
export const MORE_ROUNDS: RoundPlan = { ...ROUNDS, rounds: 5 };
/** One client, so each round is short. */
export const SIZE_ROUNDS: RoundPlan = { seconds: 0.8, rounds: 4 };
