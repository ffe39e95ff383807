import { readDomain } from '../../../businesses/domains/sql.ts';
import { effectivePlan } from '../../../businesses/settings.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import type { Queryable } from '../../../db/statement.ts';
import { groupBy } from '../../../kit/groupBy.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { listMembersOf } from '../../../members/sql.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter } from '../../../usage/read.ts';
import { RATE_DAYS } from '../../dashboard/credits/reads.ts';
import { type Attention, attentionFor, shopFacts } from '../../dashboard/overview/attention.ts';
import { readOverview } from '../../dashboard/overview/reads.ts';
import { checkEndpoints } from '../../dashboard/webhooks/reads.ts';
import { type ListPage, readListPage } from '../../kit/listPage.ts';
import { findShopsByWords, listShops, readListedShops, shopExists, waitingSendsOf } from './sql.ts';
import { countDaysOfShops, type DayOfShop } from './totalsSql.ts';
import { TROUBLES, type Trouble } from './troublesSql.ts';

const cursors = pageCursors('shops');

/** As many shops as a page lists. */
export const SHOPS_PER_PAGE = 50;

/** Which shops are listed: all, those whose names have words that begin like the ones typed, or those of one kind of trouble. */
export interface ShopFilter {
  find: string | null;
  trouble: Trouble | null;
}

/** The ids of the shops of a page, newest first. A cursor that is not ours begins with the newest. */
export async function readShops(
  db: Queryable,
  { find, trouble }: ShopFilter,
  cursor: string | null,
  size = SHOPS_PER_PAGE,
): Promise<ListPage<{ id: string }>> {
  const query = find === null ? null : nameQuery(find);
  if (find !== null && query === null) return { items: [], next_cursor: null };
  return readListPage(cursors, cursor, size, (before, limit) => {
    if (query !== null) return findShopsByWords(db, query, before, limit);
    return (trouble === null ? listShops : TROUBLES[trouble].shopsBefore)(db, before, limit);
  });
}

export type ShopLine = Awaited<ReturnType<typeof readShopLines>>[number];

/**
 * What a list shows of these shops, in their order, and what the overview of each warns of: no hints, only what is wrong. As many
 * statements for fifty shops as for one.
 */
export async function readShopLines(db: Queryable, ids: readonly string[], now: Date) {
  const to = dayOf(now);
  const from = dayAfter(to, 1 - RATE_DAYS);
  const [shops, endpoints, counted] = await Promise.all([
    readListedShops(db, ids),
    checkEndpoints(db, ids, now),
    countDaysOfShops(db, ids, from, to),
  ]);
  const shopOf = new Map(shops.map((shop) => [shop.id, shop]));
  const endpointsOf = groupBy(endpoints, ({ endpoint }) => endpoint.business_id);
  const countsOf = groupBy(counted, ({ business_id }) => business_id);
  return ids.flatMap((id) => {
    const shop = shopOf.get(id);
    if (!shop) return [];
    const days = everyDay(countsOf.get(id) ?? [], from);
    const { domain, domain_state: state, failing_since } = shop;
    const facts = {
      ...shop,
      spendable: shop.balance - shop.reserved,
      senderDomain: domain === null || state === null ? null : { domain, state, failing_since },
      endpoints: endpointsOf.get(id) ?? [],
      days: days.map((email) => ({ email })),
    };
    const warnings = attentionFor(shopFacts(facts, now)).filter(({ tone }) => tone !== 'plain');
    return {
      ...facts,
      plan: effectivePlan(shop, now),
      /** In the last 30 days. */
      messages: days.reduce((sum, day) => sum + day.messages, 0),
      warnings: [...warnings.filter(isBad), ...warnings.filter((one) => !isBad(one))],
    };
  });
}

const isBad = ({ tone }: Attention): boolean => tone === 'bad';

const NOTHING_COUNTED = { messages: 0, sent: 0, delivered: 0, bounced: 0, failed: 0 };

/** The counts of each of the last 30 days, oldest first. */
function everyDay(counted: readonly DayOfShop[], from: string) {
  const dayOfCounts = new Map(counted.map((counts) => [counts.day, counts]));
  return Array.from(
    { length: RATE_DAYS },
    (_, index) => dayOfCounts.get(dayAfter(from, index)) ?? NOTHING_COUNTED,
  );
}

const WORDS_MAX = 8;

/** A query of Postgres's text search for words that begin so; null: nothing to search for. */
function nameQuery(typed: string): string | null {
  const words = (typed.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX);
  return words.length === 0 ? null : words.map(inEveryCase).join(' & ');
}

/** A database with the locale C lowers no letters beyond a to z, so these are asked for as they may be written. */
function inEveryCase(word: string): string {
  const lower = word.toLowerCase();
  const [first = '', ...rest] = lower;
  const forms = new Set([lower, first.toUpperCase() + rest.join(''), lower.toUpperCase(), word]);
  return `(${[...forms].map((form) => `${form}:*`).join(' | ')})`;
}

/** The shop with exactly this id; null: none. */
export async function findShopById(db: Queryable, typed: string): Promise<string | null> {
  const [found] = /^[0-9a-z]{1,64}$/.test(typed) ? await shopExists(db, typed) : [];
  return found?.id ?? null;
}

/** More waiting sends than this are "more than" so many. */
export const SENDS_COUNTED_MAX = 10_000;

export type OperatedShop = NonNullable<Awaited<ReturnType<typeof readOperatedShop>>>;

/** Everything that an operator's page says of a shop, from settings, counters and the index on due sends; null: no such shop. */
export async function readOperatedShop(db: Queryable, businessId: string, now: Date) {
  const [settings] = await readSettings(db, [businessId]);
  if (!settings) return null;
  const [[account], overview, senders, waiting, members, [domain]] = await Promise.all([
    readAccount(db, businessId),
    readOverview(db, businessId, now),
    listSenders(db, businessId),
    waitingSendsOf(db, businessId, now, SENDS_COUNTED_MAX),
    listMembersOf(db, businessId),
    readDomain(db, businessId),
  ]);
  const isToday = account?.day === dayOf(now);
  return {
    settings,
    plan: effectivePlan(settings, now),
    account: {
      balance: account?.balance ?? 0,
      emailsToday: isToday ? (account?.emailsToday ?? 0) : 0,
      textsToday: isToday ? (account?.textsToday ?? 0) : 0,
      emailsInPeriod: account?.emailsInPeriod ?? 0,
    },
    overview,
    senders,
    domain: domain ?? null,
    waiting,
    members,
  };
}
