import { SECOND } from '../kit/clock.ts';
import { dueSends } from '../outbox/claimSql.ts';
import { countDeliveries, countSends } from '../outbox/sql.ts';
import { databaseCommand } from './command.ts';
import { facts, table } from './layout.ts';

export const outboxStats = databaseCommand({
  path: 'outbox stats',
  about: 'Counts the queued sends and deliveries, and how late the oldest is',
  async run(_given, { pool, clock }) {
    const now = clock.now();
    const sends = await countSends(pool, now);
    const oldestSend = await dueSends.oldest(pool, now);
    const [deliveries] = await countDeliveries(pool, now);
    const totals = {
      sends_waiting: sum(sends.map(({ waiting }) => waiting)),
      sends_due: sum(sends.map(({ due }) => due)),
      sends_lag_seconds: overdue(oldestSend, now),
      webhook_deliveries_waiting: deliveries?.waiting ?? 0,
      webhook_deliveries_due: deliveries?.due ?? 0,
      webhook_deliveries_lag_seconds: overdue(deliveries?.oldest ?? null, now),
    };
    const rows = sends.map(({ channel, state, waiting, due }) => [channel, state, waiting, due]);
    const ofSends = table(['channel', 'state', 'waiting', 'due'], rows, 'The outbox is empty.');
    return { json: { ...totals, sends }, text: `${facts(Object.entries(totals))}\n\n${ofSends}` };
  },
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Zero if nothing is due. */
const overdue = (oldest: Date | null, now: Date): number =>
  oldest === null ? 0 : Math.max(0, Math.round((now.getTime() - oldest.getTime()) / SECOND));
