import { statement } from '../db/statement.ts';

/** `past_due` lapses by itself when the paid period ends. Sends see it at that moment; this writes it down. */
export const lapseOverdue = statement<[now: Date], { id: string }>(`
  update businesses set plan = 'lapsed', plan_lapsed_at = $1
  where plan = 'past_due' and plan_period_end <= $1
  returning id`);

export const nextLapse = statement<[], { at: Date | null }>(`
  select min(plan_period_end) as at from businesses where plan = 'past_due'`);
