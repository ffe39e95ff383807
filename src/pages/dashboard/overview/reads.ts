import { listKeys } from '../../../businesses/keys.ts';
import { effectivePlan, sends } from '../../../businesses/settings.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import type { UsagePeriod, UsageReport } from '../../../contract/usage.ts';
import type { Queryable } from '../../../db/statement.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter, viewUsage } from '../../../usage/read.ts';
import { type CreditsLeft, creditsLeft, creditsSpent, RATE_DAYS } from '../credits/reads.ts';
import { anyMessage } from '../messages/sql.ts';
import { type CheckedEndpoint, checkEndpoints } from '../webhooks/reads.ts';
import { type Attention, attentionFor } from './attention.ts';
import { type FirstStep, firstSteps } from './firstSteps.ts';

export interface Overview {
  today: UsagePeriod;
  /** The last 30 days, today included, each and in sum. */
  month: UsageReport;
  credits: CreditsLeft;
  attention: Attention[];
  endpoints: CheckedEndpoint[];
  /** Of a new shop; none once it is past them. */
  steps: FirstStep[];
}

/** Everything comes from counters, settings and the newest attempts, so it takes the same time at any number of messages. */
export async function readOverview(db: Queryable, businessId: string, now: Date): Promise<Overview> {
  const to = dayOf(now);
  const range = { from: dayAfter(to, 1 - RATE_DAYS), to, interval: 'day' } as const;
  const [month, [account], [settings], endpoints, senders, keys, [any]] = await Promise.all([
    viewUsage(db, businessId, range),
    readAccount(db, businessId),
    readSettings(db, [businessId]),
    checkEndpoints(db, businessId, now),
    listSenders(db, businessId),
    listKeys(db, businessId),
    anyMessage(db, businessId),
  ]);
  if (!settings) throw new Error('the shop of the overview does not exist');
  const hasPaidChannels = [settings.smsMode, settings.whatsappMode].some(sends);
  const credits = creditsLeft(account, creditsSpent(month.total));
  return {
    today: month.items.at(-1) ?? month.total,
    month,
    credits,
    attention: attentionFor({
      active: settings.active,
      paused: settings.paused,
      plan: effectivePlan(settings, now),
      hasPaidChannels,
      spendable: credits.spendable,
      lowBalanceThreshold: settings.lowBalanceThreshold,
      ownEmailSender: senders.find(({ channel }) => channel === 'email')?.address ?? null,
      endpoints,
      days: month.items,
    }),
    endpoints,
    steps: firstSteps(
      {
        name: settings.name,
        createdAt: settings.createdAt,
        keys: keys.length,
        hasMessages: any !== undefined,
        endpoints: endpoints.length,
        smsMode: settings.smsMode,
        spendable: credits.spendable,
      },
      now,
    ),
  };
}
