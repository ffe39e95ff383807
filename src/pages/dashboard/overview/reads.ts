import { readDomain } from '../../../businesses/domains/sql.ts';
import { listKeys } from '../../../businesses/keysSql.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import type { Queryable } from '../../../db/statement.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter, viewUsage } from '../../../usage/read.ts';
import { creditsLeft, creditsSpent, RATE_DAYS } from '../credits/reads.ts';
import { anyMessage } from '../messages/sql.ts';
import { checkEndpoints } from '../webhooks/reads.ts';
import { attentionFor, shopFacts } from './attention.ts';
import { firstSteps } from './firstSteps.ts';

/** Everything comes from counters, settings and the newest attempts, so it takes the same time at any number of messages. */
export async function readOverview(db: Queryable, businessId: string, now: Date) {
  const to = dayOf(now);
  const range = { from: dayAfter(to, 1 - RATE_DAYS), to, interval: 'day' } as const;
  const [month, [account], [settings], endpoints, senders, keys, [any], [senderDomain]] = await Promise.all([
    viewUsage(db, businessId, range),
    readAccount(db, businessId),
    readSettings(db, [businessId]),
    checkEndpoints(db, [businessId], now),
    listSenders(db, businessId),
    listKeys(db, businessId),
    anyMessage(db, businessId),
    readDomain(db, businessId),
  ]);
  if (!settings) throw new Error('the shop of the overview does not exist');
  const credits = creditsLeft(account, creditsSpent(month.total));
  const shop = { ...settings, spendable: credits.spendable, ranLow: account?.ranLow ?? false };
  const facts = {
    ...shop,
    ownEmailSender: senders.find(({ channel }) => channel === 'email')?.address ?? null,
    senderDomain: senderDomain ?? null,
    endpoints,
    days: month.items,
  };
  const taken = { keys: keys.length, hasMessages: any !== undefined, endpoints: endpoints.length };
  return {
    today: month.items.at(-1) ?? month.total,
    /** The last 30 days, today included, each and in sum. */
    month,
    credits,
    attention: attentionFor(shopFacts(facts, now)),
    endpoints,
    /** Of a new shop; none once it is past them. */
    steps: firstSteps({ ...shop, ...taken }, now),
  };
}

/** With the 30 days before, which only the page itself compares with. */
export async function readOverviewPage(db: Queryable, businessId: string, now: Date) {
  const first = dayAfter(dayOf(now), 1 - RATE_DAYS);
  const before = { from: dayAfter(first, -RATE_DAYS), to: dayAfter(first, -1) };
  const [overview, { total }] = await Promise.all([
    readOverview(db, businessId, now),
    viewUsage(db, businessId, { ...before, interval: 'day' }),
  ]);
  return { ...overview, before: { ...before, total } };
}
export type OverviewPage = Awaited<ReturnType<typeof readOverviewPage>>;
