import type { UsagePeriod } from '../../../contract/usage.ts';

type EmailDay = Pick<UsagePeriod, 'messages' | 'email'>;

/** What became of the emails of a day, in the order in which a bar has them. */
const ended = ({ delivered, bounced, failed, not_sent }: UsagePeriod['email']): number =>
  delivered + bounced + failed + not_sent;

/**
 * How many messages of each day are under way. Outcomes count on the day they come: what comes beyond the messages of its day belongs to
 * the nearest earlier day that has some open.
 */
export function underWay(days: readonly EmailDay[]): number[] {
  const open = days.map(() => 0);
  for (const [day, { messages, email }] of days.entries()) {
    let late = ended(email) - messages;
    open[day] = Math.max(0, -late);
    for (let earlier = day - 1; earlier >= 0 && late > 0; earlier -= 1) {
      const settled = Math.min(late, open[earlier] ?? 0);
      open[earlier] = (open[earlier] ?? 0) - settled;
      late -= settled;
    }
  }
  return open;
}

/** In whole percent, never rounded up: only all of them are 100. Null: there was nothing. */
export const shareOf = (part: number, whole: number): number | null =>
  whole <= 0 ? null : Math.min(100, Math.floor((part * 100) / whole));
