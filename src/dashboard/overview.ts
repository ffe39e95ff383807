import { effectivePlan } from '../businesses/settings.ts';
import { listEndpoints, readAccount, readSettings } from '../businesses/sql.ts';
import type { UsagePeriod, UsageReport } from '../contract/usage.ts';
import type { Queryable } from '../db/statement.ts';
import { dayOf } from '../usage/counters.ts';
import { dayAfter, viewUsage } from '../usage/read.ts';
import { type Attention, attentionFor } from './attention.ts';

const DAYS = 30;

export interface Overview {
  today: UsagePeriod;
  /** The last 30 days, today included, each and in sum. */
  month: UsageReport;
  credits: { spendable: number; setAside: number; daysLeft: number | null };
  attention: Attention[];
}

/** Everything comes from counters and settings, so it takes the same time at any number of messages. */
export async function readOverview(db: Queryable, businessId: string, now: Date): Promise<Overview> {
  const to = dayOf(now);
  const range = { from: dayAfter(to, 1 - DAYS), to, interval: 'day' } as const;
  const [month, [account], [settings], endpoints] = await Promise.all([
    viewUsage(db, businessId, range),
    readAccount(db, businessId),
    readSettings(db, [businessId]),
    listEndpoints(db, businessId),
  ]);
  if (!settings) throw new Error('the shop of the overview does not exist');
  const setAside = account?.reserved ?? 0;
  const spendable = (account?.balance ?? 0) - setAside;
  return {
    today: month.items.at(-1) ?? month.total,
    month,
    credits: {
      spendable,
      setAside,
      daysLeft: daysLeft(spendable, month.total.sms.credits + month.total.whatsapp.credits),
    },
    attention: attentionFor({
      active: settings.active,
      paused: settings.paused,
      plan: effectivePlan(settings, now),
      hasPaidChannels: [settings.smsMode, settings.whatsappMode].some(
        (mode) => mode === 'on' || mode === 'on_request',
      ),
      spendable,
      lowBalanceThreshold: settings.lowBalanceThreshold,
      endpoints,
      days: month.items,
    }),
  };
}

/** How long the credits last at the rate of the last 30 days; null when none were spent. */
export const daysLeft = (spendable: number, spentInMonth: number): number | null =>
  spentInMonth <= 0 ? null : Math.floor((spendable * DAYS) / spentInMonth);
