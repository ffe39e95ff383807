import { REFERENCE_MAX } from '../../../config/limits.ts';
import type { Queryable } from '../../../db/statement.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { maskPhone, parsePhone } from '../../../kit/phoneNumber.ts';
import { listByIds } from '../../../messages/plans.ts';
import { findOrder } from '../../../orders/readsSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { findBySubject } from '../../../search/find.ts';
import { wordsOf } from '../../../search/words.ts';
import { idFrom } from '../../kit/request.ts';
import { orderPath } from '../messages/filters.tsx';
import { findRecipientById, messageExists } from '../messages/sql.ts';
import { ordersBeginning } from '../orders/sql.ts';
import { customersBeginning, findRecipientByPhone, listedRecipient } from '../recipients/sql.ts';

/** What was found of one kind. */
interface Group<Row> {
  items: Row[];
  hasMore: boolean;
}

/** Behind a key of a list; nothing is before the empty one. */
const FROM_THE_START = '';

/**
 * The paths, in the shop, of what has exactly this address, number, id or reference. They name a person by id, so that no address gets
 * into a URL.
 */
export async function findWhole(db: Queryable, businessId: string, text: string): Promise<string[]> {
  const email = parseEmailAddress(text);
  const id = idFrom(text);
  const references = referencesFor(text);
  const [people, byId, messages, orders] = await Promise.all([
    email === null ? byNumber(db, businessId, text) : findRecipient(db, businessId, email),
    id === null ? [] : findRecipientById(db, businessId, id),
    id === null ? [] : messageExists(db, businessId, id),
    Promise.all(references.map((reference) => findOrder(db, businessId, reference))),
  ]);
  return [
    ...people.map((person) => `/recipients/${person.id}`),
    ...byId.map(() => `/recipients/${id}`),
    ...messages.map((message) => `/messages/${message.id}`),
    ...references.filter((_, at) => orders[at]?.length).map(orderPath),
  ];
}

/** What begins so, a few of each kind, each kind by an index. */
export async function findBeginnings(
  db: Queryable,
  businessId: string,
  text: string,
  { limit, now }: { limit: number; now: Date },
) {
  const [customers, orders, messages] = await Promise.all([
    findCustomers(db, businessId, text, limit),
    findOrders(db, businessId, text, limit),
    findMessages(db, businessId, text, { limit, now }),
  ]);
  return { customers, orders, messages };
}
export type Found = Awaited<ReturnType<typeof findBeginnings>>;

/** In the order of their addresses, with masked numbers; first who has exactly this number or id. */
export async function findCustomers(
  db: Queryable,
  businessId: string,
  text: string,
  limit: number,
  after = FROM_THE_START,
) {
  const beginning = parseEmailAddress(text) ?? text.toLowerCase();
  const [numbered] = after === FROM_THE_START ? await byNumber(db, businessId, text) : [];
  const whole = numbered?.id ?? (after === FROM_THE_START ? idFrom(text) : null);
  const [first, rows] = await Promise.all([
    whole === null ? [] : listedRecipient(db, businessId, whole),
    customersBeginning(db, businessId, beginning, after, limit + 1),
  ]);
  const { items, hasMore } = group([...first, ...rows], limit);
  return {
    items: items.map((row) => ({ ...row, phone: row.phone === null ? null : maskPhone(row.phone) })),
    hasMore,
  };
}

/** In the order of their references. */
export const findOrders = async (
  db: Queryable,
  businessId: string,
  text: string,
  limit: number,
  after = FROM_THE_START,
) => group(await ordersBeginning(db, businessId, referencesFor(text), after, limit + 1), limit);

/** Newest first; before them the one with this id. */
async function findMessages(
  db: Queryable,
  businessId: string,
  text: string,
  { limit, now }: { limit: number; now: Date },
) {
  const id = idFrom(text);
  const words = parseEmailAddress(text) === null ? wordsOf(text) : [];
  const everyId = { from: '', before: AFTER_EVERY_ID };
  const { ids, nextBefore } =
    words.length === 0
      ? { ids: [], nextBefore: null }
      : await findBySubject(db, businessId, words, everyId, limit);
  const items = await listByIds(db, businessId, id === null ? ids : [id, ...ids], now);
  return { items, hasMore: nextBefore !== null };
}

async function byNumber(db: Queryable, businessId: string, text: string) {
  const phone = parsePhone(text);
  return phone === null ? [] : findRecipientByPhone(db, businessId, phone.number);
}

/** People read an order's number out with or without its sign, and type it in small letters. */
export function referencesFor(text: string): string[] {
  const forms = [text, text.toUpperCase()].flatMap((one) => {
    const bare = one.replace(/^#/, '');
    return [one, `#${bare}`, bare];
  });
  return [...new Set(forms)].filter((one) => one !== '' && one !== '#' && [...one].length <= REFERENCE_MAX);
}

/** One row more than are shown says that there are more. */
const group = <Row>(rows: readonly Row[], limit: number): Group<Row> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit,
});
