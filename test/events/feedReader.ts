import { setTimeout as sleep } from 'node:timers/promises';
import type { EventContent } from '../../src/contract/eventTypes.ts';
import type { Pool } from '../../src/db/pool.ts';
import { transaction } from '../../src/db/transaction.ts';
import { readConfig } from '../../src/environment/config.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type Service, wire } from '../../src/server/wire.ts';
import { type NewEvent, recordEvents } from '../../src/webhooks/events.ts';
import { freePort } from '../support/freePort.ts';
import { recordingLog } from '../support/recordingLog.ts';
import type { TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';

export interface EventItem {
  id: string;
  type: string;
  occurred_at: string;
  data: Record<string, unknown>;
}

export interface EventsAnswer {
  items: EventItem[];
  next: string;
  has_more: boolean;
}

type EventsQuery = Partial<Record<'after' | 'types' | 'message_id' | 'limit' | 'wait', string | number>>;

export const eventsPath = (query: EventsQuery = {}): string =>
  `/api/v1/events?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;

export const eventsOf = async (shop: Shop, query: EventsQuery = {}): Promise<EventsAnswer> =>
  expectStatus(200, await shop.get(eventsPath(query)));

export const idsOfPage = ({ items }: EventsAnswer): string[] => items.map(({ id }) => id);

const delivered = (messageId: string): EventContent => ({
  type: 'message.delivered',
  data: {
    message_id: messageId,
    recipient_email: 'ann@example.com',
    subject: 'Your order #1001 has shipped',
    reference: '#1001',
    channel: 'email',
  },
});

const LOW_BALANCE: EventContent = { type: 'credits.low_balance', data: { balance: 3, threshold: 20 } };

export const deliveredEvent = ({ businessId }: Shop, messageId = 'm1'): NewEvent => ({
  ...delivered(messageId),
  businessId,
  messageId,
  recipientId: null,
});

export const lowBalanceEvent = ({ businessId }: Shop): NewEvent => ({
  ...LOW_BALANCE,
  businessId,
  messageId: null,
  recipientId: null,
});

/** The ids of one millisecond sort by chance, and on a quick machine two writes take less. */
const NEXT_MILLISECOND = 2;

/** Writes events as a change does, in one transaction, after `beforeCommit`; later than those written before. */
export async function writeEventsOf(
  pool: Pool,
  events: readonly NewEvent[],
  beforeCommit: () => Promise<unknown> = async () => {},
  at?: Date,
): Promise<void> {
  await sleep(NEXT_MILLISECOND);
  await transaction(pool, async (tx) => {
    await recordEvents(tx, events, at ?? systemClock.now());
    await beforeCommit();
  });
}

/** Follows a feed from `after` to its end. */
export async function followToEnd(shop: Shop, query: EventsQuery = {}): Promise<EventItem[]> {
  const items: EventItem[] = [];
  for (let after = query.after; ; ) {
    const page = await eventsOf(shop, { ...query, ...(after !== undefined && { after }) });
    items.push(...page.items);
    if (!page.has_more) return items;
    after = page.next;
  }
}

/** Whether it has not resolved within this time. */
export const isPending = async (work: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  (await Promise.race([work.then(() => 'answered'), sleep(milliseconds, 'pending')])) === 'pending';

/** Another process on the service's database, with these roles. */
export async function joinProcess(
  service: TestService,
  roles: 'api' | 'worker',
): Promise<Service & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const joined = await wire({
    config: readConfig({ RATE_LIMIT_PER_SECOND: '0', PORT: '0', ROLES: roles }),
    databaseUrl: service.database.url,
    secretKeys: [service.secretKey],
    publicUrl: url,
    log: recordingLog(service.logged),
  });
  await joined.app.listen({ host: '127.0.0.1', port });
  return { ...joined, url };
}

export async function waitingCalls({ url }: { url: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^waypost_waiting_calls (\d+)$/m.exec(text)?.[1]);
}
