import { statement } from '../../src/db/statement.ts';
import { DAY } from '../../src/kit/clock.ts';
import { dayOf } from '../../src/usage/counters.ts';
import { foldCounts } from '../../src/usage/foldSql.ts';
import type { BenchEnvironment } from '../environment.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import type { RoundPlan } from './reads.ts';
import type { Sized } from './size.ts';

const YEAR_DAYS = 365;

/** The counters of a shop with 2,700 messages a day: the last two days in all 16 rows, the others folded. */
const seedUsage = statement<[businessId: string, days: number]>(`
  insert into usage_counters (business_id, day, slot, messages, email_sent, email_delivered, email_opened, sms_sent, sms_delivered,
    sms_credits, avoided_opened_first, avoided_credits, open_minutes)
  select $1, (now() at time zone 'UTC')::date - d, slot, 2700, 2690, 2650, 1700, 300, 290, 300, 250, 250,
    (select string_agg((n * d % 40)::text, ',') from generate_series(1, 90) n)
  from generate_series(0, $2::int) d cross join generate_series(1, 16) slot where slot = 1 or d < 2
  on conflict do nothing`);

/** A year of a large shop by month, against the first day of a new one. */
export async function compareUsage(
  world: BenchEnvironment,
  large: Sized,
  small: Sized,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  await seedUsage(large.database.pool, large.database.businessId, YEAR_DAYS);
  const now = new Date();
  await foldCounts(large.database.pool, dayOf(new Date(now.getTime() - DAY)), 1_000);
  const yearAgo = dayOf(new Date(now.getTime() - YEAR_DAYS * DAY));
  const get = ({ program, database: { apiKey } }: Sized, query: string) =>
    underLoad(world, program, {
      clients: 1,
      seconds,
      requests: { kind: 'get', apiKey, paths: [`/api/v1/usage?${query}`] },
    });
  return alternate(
    rounds,
    () => get(large, `from=${yearAgo}&interval=month`),
    () => get(small, `from=${dayOf(now)}`),
  );
}
