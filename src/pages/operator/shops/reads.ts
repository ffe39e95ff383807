import { readDomain } from '../../../businesses/domains/sql.ts';
import { effectivePlan } from '../../../businesses/settings.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import type { Queryable } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { listMembersOf } from '../../../members/sql.ts';
import { dayOf } from '../../../usage/counters.ts';
import type { Attention } from '../../dashboard/overview/attention.ts';
import { readOverview } from '../../dashboard/overview/reads.ts';
import { type ListPage, PAGE_SIZE, readListPage } from '../../kit/listPage.ts';
import { findShopsByWords, type ListedShop, listShops, shopExists, waitingSendsOf } from './sql.ts';

const cursors = pageCursors('shops');

export type ShopList = ListPage<ListedShop>;

/** All shops, or those whose names have words that begin like the ones typed. A cursor that is not ours begins with the newest. */
export async function readShops(
  db: Queryable,
  typed: string | null,
  cursor: string | null,
  size = PAGE_SIZE,
) {
  const query = typed === null ? null : nameQuery(typed);
  if (typed !== null && query === null) return { items: [], next_cursor: null };
  return readListPage(cursors, cursor, size, (before, limit) =>
    query === null ? listShops(db, before, limit) : findShopsByWords(db, query, before, limit),
  );
}

/** What the overview of each listed shop warns of, by its id. No hints: only what is wrong. */
export async function warningsOf(db: Queryable, { items }: ShopList, now: Date) {
  const read = async ({ id }: ListedShop): Promise<[string, Attention[]]> => {
    const { attention } = await readOverview(db, id, now);
    return [id, attention.filter(({ tone }) => tone !== 'plain')];
  };
  return new Map(await Promise.all(items.map(read)));
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
