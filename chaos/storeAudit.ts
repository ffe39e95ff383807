import type { Pool } from '../src/db/pool.ts';
import { statement } from '../src/db/statement.ts';
import type { ProviderLog } from './providers/providerLog.ts';
import type { Violations } from './report.ts';
import type { StoreResults, ToldOrder } from './store.ts';

interface StoredMessage {
  reference: string;
  order_status: string;
  email: string;
  /** Of its mails, oldest first. */
  mails: { reference: string; state: string }[];
}

const storeMessages = statement<[], StoredMessage>(`
  select m.reference, m.order_status, r.email, (
    select coalesce(json_agg(json_build_object('reference', s.business_id || '-' || s.id, 'state', s.state) order by s.id), '[]')
    from sends s where s.business_id = m.business_id and s.message_id = m.id and s.channel = 'email') as mails
  from messages m join recipients r on r.business_id = m.business_id and r.id = m.recipient_id order by m.id`);

const storeShipments = statement<[], { reference: string; tracking_number: string }>(`
  select reference, tracking_number from shipments`);

const callCounts = statement<[], { outcome: string | null; reason: string | null; count: number }>(`
  select outcome, reason, count(*)::int from connection_calls group by 1, 2 order by 3 desc`);

/** Compares what the store told us with what its customers were told. */
export async function auditStore(pool: Pool, { orders }: StoreResults, log: ProviderLog) {
  const messages = await storeMessages(pool);
  const shipments = new Set((await storeShipments(pool)).map(nameOfShipment));
  const accepted = log.acceptedBy();
  const toldOf = ({ number, email }: ToldOrder): string[] =>
    messages
      .filter((message) => message.reference === number && message.email === email)
      .map(({ order_status }) => order_status);
  const wrong = (isWrong: (told: readonly string[], order: ToldOrder) => boolean): string[] =>
    orders
      .filter((order) => isWrong(toldOf(order), order))
      .map((order) => `${order.number}: ${toldOf(order).join(', ')}, and should be ${order.must.join(', ')}`);
  const mails = messages.flatMap((message) => message.mails.map((mail) => ({ message, mail })));
  const wasCaptured = (reference: string): number => accepted.get(reference)?.length ?? 0;
  const calls = await callCounts(pool);
  const broken: Violations = {
    'every change that the store told and was answered is told': wrong((told, { must }) =>
      must.some((status) => !told.includes(status)),
    ),
    'no change is told twice': wrong((told) => new Set(told).size < told.length),
    'nothing is told that the store did not say': wrong((told, { may }) =>
      told.some((status) => !may.includes(status)),
    ),
    'what is told keeps its order': wrong(
      (told, { may }) => JSON.stringify(told) !== JSON.stringify(may.filter((one) => told.includes(one))),
    ),
    'each message has one mail, captured once unless its outcome is unknown': [
      ...messages.filter((message) => message.mails.length !== 1).map(nameOfMessage),
      ...mails
        .filter(({ mail }) => wasCaptured(mail.reference) !== 1)
        .filter(({ mail }) => mail.state !== 'failed' || wasCaptured(mail.reference) > 1)
        .map(({ message }) => nameOfMessage(message)),
    ],
    'every tracking number is a shipment of its order': orders
      .filter(
        ({ number, trackingNumber }) =>
          trackingNumber !== null && !shipments.has(`${number} ${trackingNumber}`),
      )
      .map(({ number }) => number),
    'every call is understood': calls
      .filter(({ outcome }) => outcome === null || outcome === 'not_understood' || outcome === 'refused')
      .map(({ outcome, reason, count }) => `${count} ${outcome} ${reason}`),
  };
  const figures = {
    orders: orders.length,
    'messages told': messages.length,
    'mails captured': mails.filter(({ mail }) => wasCaptured(mail.reference) === 1).length,
    'calls stored': calls
      .map(({ outcome, reason, count }) => `${count} ${outcome}${reason === null ? '' : ` (${reason})`}`)
      .join(', '),
  };
  return { figures, broken };
}

const nameOfShipment = (row: { reference: string; tracking_number: string }): string =>
  `${row.reference} ${row.tracking_number}`;

const nameOfMessage = ({ reference, order_status, mails }: StoredMessage): string =>
  `${reference} ${order_status}: ${mails.map(({ state }) => state).join(', ')}`;
