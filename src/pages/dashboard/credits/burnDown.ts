import { dayAfter } from '../../../usage/read.ts';

/** A projection that goes further says little, and leaves the days before no room. */
const AHEAD_MAX = 60;
const ENDING_SHOWN_MAX = 365;

export interface CreditsDay {
  day: string;
  /** At its end. */
  left: number;
  isProjected: boolean;
}

/**
 * The credits at the end of each day: before today what is left and what was spent since, as if none had been added; after today at the rate
 * of these days, until none are left. `spent` is oldest first and ends today.
 */
export function burnDown(spendable: number, spent: readonly { day: string; credits: number }[]) {
  const total = spent.reduce((sum, { credits }) => sum + credits, 0);
  let left = spendable + total;
  const past = spent.map(({ day, credits }): CreditsDay => {
    left -= credits;
    return { day, left, isProjected: false };
  });
  const today = spent.at(-1)?.day;
  const rate = total / spent.length;
  if (today === undefined || total <= 0 || spendable <= 0) return { days: past, endsOn: null };
  const daysLeft = Math.ceil(spendable / rate);
  const ahead = Array.from({ length: Math.min(daysLeft, AHEAD_MAX) }, (_, index): CreditsDay => {
    const after = index + 1;
    return {
      day: dayAfter(today, after),
      left: Math.max(0, Math.round(spendable - rate * after)),
      isProjected: true,
    };
  });
  return {
    days: [...past, ...ahead],
    /** The first day at whose end none are left; null: in more than a year, or never at this rate. */
    endsOn: daysLeft > ENDING_SHOWN_MAX ? null : dayAfter(today, daysLeft),
  };
}
