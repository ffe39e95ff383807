import { type Statement, statement } from '../../../db/statement.ts';
import type { BadgeTone } from '../../kit/components.tsx';

/*
 * What can be wrong with a shop and is found by an index, at any number of shops. A deactivated shop sends nothing and needs nothing,
 * so it is counted as such alone.
 */

/** The newest such shops before an id. */
type ShopsBefore = Statement<[before: string, limit: number], { id: string }>;

/** By the index businesses_set_aside. */
const setAside = (which: string): ShopsBefore =>
  statement(`
  select id from businesses where ${which} and (not active or paused or plan <> 'active') and id || ' ' < $1 || ' '
  order by id || ' ' desc limit $2`);

/** By the index webhook_endpoints_in_trouble. */
const withEndpoint = (which: string): ShopsBefore =>
  statement(`
  select distinct w.business_id as id from webhook_endpoints w join businesses b on b.id = w.business_id
  where w.deleted_at is null and ${which} and b.active and w.business_id < $1
  order by w.business_id desc limit $2`);

/** By the index credit_accounts_low: credits that were there and are spent. A shop that never had any has not run out. */
const lowOnCredits = (which: string): ShopsBefore =>
  statement(`
  select a.business_id as id from credit_accounts a join businesses b on b.id = a.business_id
  where a.low_balance_notified and ${which} and b.active and a.business_id < $1
    and (b.sms_mode in ('on', 'on_request') or b.whatsapp_mode in ('on', 'on_request'))
  order by a.business_id desc limit $2`);

interface TroubleKind {
  title: string;
  tone: BadgeTone;
  shopsBefore: ShopsBefore;
}

const kind = (title: string, tone: BadgeTone, shopsBefore: ShopsBefore): TroubleKind => ({
  title,
  tone,
  shopsBefore,
});

/** The most urgent first. */
export const TROUBLES = {
  endpoint_off: kind('Webhook switched off', 'bad', withEndpoint('w.disabled_at is not null')),
  events_lost: kind(
    'Events lost',
    'bad',
    withEndpoint('w.disabled_at is null and w.consecutive_failures > 0'),
  ),
  no_credits: kind('No credits left', 'bad', lowOnCredits('a.balance <= a.reserved')),
  lapsed: kind('Plan lapsed', 'bad', setAside(`active and plan = 'lapsed'`)),
  paused: kind('Paused', 'bad', setAside('active and paused')),
  past_due: kind('Plan past due', 'waiting', setAside(`active and plan = 'past_due'`)),
  credits_low: kind('Credits low', 'waiting', lowOnCredits('a.balance > a.reserved')),
  deactivated: kind('Deactivated', 'plain', setAside('not active')),
} as const satisfies Record<string, TroubleKind>;

export type Trouble = keyof typeof TROUBLES;
