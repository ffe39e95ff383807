import type { CreditsLeft } from './reads.ts';

const NUMBER = new Intl.NumberFormat('en-GB');
export const shownNumber = (value: number): string => NUMBER.format(value);

export const shownCredits = (count: number): string =>
  count === 1 ? '1 credit' : `${shownNumber(count)} credits`;

const YEAR_DAYS = 365;

/** Follows the number of credits: how long they last, and what is set aside. */
export function creditsSentence({ setAside, daysLeft }: CreditsLeft): string {
  const aside =
    setAside === 0 ? '' : ` ${shownNumber(setAside)} more are set aside for messages that are queued.`;
  if (daysLeft === null) return `left. None were spent in the last 30 days.${aside}`;
  return `left, for ${daysInWords(daysLeft)} at the rate of the last 30 days.${aside}`;
}

function daysInWords(days: number): string {
  if (days > YEAR_DAYS) return 'more than a year';
  if (days === 0) return 'less than a day';
  return days === 1 ? 'a day' : `${days} days`;
}
