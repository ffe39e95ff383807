import type { Queryable } from '../../../db/statement.ts';
import { idRange, messageCursors } from '../../../messages/list.ts';
import type { Outcomes } from '../../../messages/outcomes.ts';
import { listByIds, listWithPlans, type MessageWithPlan, viewWithPlan } from '../../../messages/plans.ts';
import { storyOf } from '../../../messages/timeline.ts';
import { readTimeline } from '../../../messages/timelineSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { findBySubject } from '../../../search/find.ts';
import { hasWords } from '../../../search/words.ts';
import { PAGE_SIZE } from '../../kit/listPage.ts';
import type { DashboardContext } from '../context.ts';
import { orNothingHere } from '../route.ts';
import { pusherWords } from './pushers.ts';
import type { MessageListFilters } from './query.ts';
import { eventsOfMessage, pushersOf } from './sql.ts';

interface MessagesFound {
  items: MessageWithPlan[];
  /** The id before which the next page begins; null: this is the last page. */
  nextBefore: string | null;
}

/** Read at once while messages are looked through. */
const CHUNK = 100;
/**
 * The most messages that one page looks through for filters that have no index. A page that reaches it is short, and the next one
 * goes on.
 */
const LOOKED_THROUGH_MAX = 2_000;

/** What is listed: of which shop, and as of when. */
interface Listing {
  businessId: string;
  filters: MessageListFilters;
  now: Date;
}

/** A page of a shop's messages, newest first. */
export async function listForMember(
  db: Queryable,
  listing: Listing,
  before: string | null,
  size = PAGE_SIZE,
) {
  const items: MessageWithPlan[] = [];
  const chunkSize = isLookingThrough(listing.filters) ? CHUNK : size;
  let next = before;
  for (let read = 0; read < LOOKED_THROUGH_MAX; read += CHUNK) {
    const chunk = await readChunk(db, listing, next, chunkSize);
    for (const message of chunk.items) {
      if (!isWanted(message, listing.filters)) continue;
      items.push(message);
      const isLast = message === chunk.items.at(-1);
      if (items.length === size) return { items, nextBefore: isLast ? chunk.nextBefore : message.id };
    }
    next = chunk.nextBefore;
    // Nothing in all that was read: the next page goes on.
    if (next === null || chunk.items.length === 0) break;
  }
  return { items, nextBefore: next };
}

/** Every message that the filters let through. A page may be empty, so that one who reads on can stop between any two reads. */
export async function* everyMessage(db: Queryable, listing: Listing): AsyncGenerator<MessageWithPlan[]> {
  let before: string | null = null;
  do {
    const chunk: MessagesFound = await readChunk(db, listing, before, CHUNK);
    yield chunk.items.filter((message) => isWanted(message, listing.filters));
    before = chunk.nextBefore;
  } while (before !== null);
}

/** Whether some filter is applied here, to messages that were read without it. */
function isLookingThrough(filters: MessageListFilters): boolean {
  const { words, orderStatus, outcomes, recipientEmail, reference, status } = filters;
  const ofDashboard = [orderStatus, ...Object.values(outcomes)];
  const ofApi = words.length > 0 ? [recipientEmail, reference, status] : [];
  return [...ofDashboard, ...ofApi].some((filter) => filter !== null);
}

async function readChunk(
  db: Queryable,
  { businessId, filters, now }: Listing,
  before: string | null,
  limit: number,
): Promise<MessagesFound> {
  const { words, orderStatus: _orderStatus, outcomes: _outcomes, ...ofApi } = filters;
  if (words.length > 0) {
    const [from, end] = idRange(filters, before);
    const found = await findBySubject(db, businessId, words, { from, before: end }, limit);
    return { items: await listByIds(db, businessId, found.ids, now), nextBefore: found.nextBefore };
  }
  const page = await listWithPlans(db, businessId, { ...ofApi, limit, before }, now);
  return {
    items: page.items,
    nextBefore: page.next_cursor === null ? null : messageCursors.idIn(page.next_cursor),
  };
}

/** The list by words has applied none of the API's filters but the times. */
function isWanted(message: MessageWithPlan, filters: MessageListFilters): boolean {
  const { words, orderStatus, outcomes, recipientEmail, reference, status } = filters;
  const isOrEquals = (wanted: string | null, value: string | null): boolean =>
    wanted === null || value === wanted;
  return (
    isOrEquals(orderStatus, message.order_status) &&
    isOrEquals(recipientEmail, message.recipient_email) &&
    isOrEquals(reference, message.reference) &&
    isOrEquals(status, message.status) &&
    hasWords(message.subject, words) &&
    hasOutcomes(message.outcomes, outcomes)
  );
}

const hasOutcomes = (has: Outcomes, { email, sms, whatsapp }: MessageListFilters['outcomes']): boolean =>
  (email === null || has.email.includes(email)) &&
  (sms === null || has.sms.includes(sms)) &&
  (whatsapp === null || has.whatsapp.includes(whatsapp));

const EVENTS_SHOWN = 100;
const OF_SAME_ORDER = 20;

/** One message with what became of it. */
export async function readShownMessage({ pool, clock }: DashboardContext, businessId: string, id: string) {
  const now = clock.now();
  const [found, [row], pushers] = await Promise.all([
    viewWithPlan(pool, businessId, id, now),
    readTimeline(pool, businessId, id),
    pushersOf(pool, businessId, id),
  ]);
  const message = orNothingHere(found);
  const timeline = orNothingHere(row);
  const { recipient_email: email, reference } = message;
  const sameOrder = { recipientEmail: null, reference, limit: OF_SAME_ORDER, before: null };
  const [[recipient], events, { items }] = await Promise.all([
    findRecipient(pool, businessId, email),
    eventsOfMessage(pool, businessId, id, EVENTS_SHOWN),
    reference === null ? { items: [] } : listWithPlans(pool, businessId, sameOrder, now),
  ]);
  return {
    message,
    recipientId: recipient?.id ?? '',
    timeline: storyOf(timeline),
    pushedBy: timeline.pushed_by,
    /** What they are called, by their `actor`s. */
    pushers: new Map(pushers.map((pusher) => [pusher.actor, pusherWords(pusher)])),
    sends: timeline.sends,
    events,
    /** Other messages of the same order. */
    others: items.filter((other) => other.id !== id),
    now,
  };
}
export type ShownMessage = Awaited<ReturnType<typeof readShownMessage>>;
