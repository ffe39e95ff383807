import type { Client } from 'pg';
import type { Channel } from '../../src/contract/channels.ts';
import type { TrackingStatus } from '../../src/contract/orders.ts';
import type { SendState } from '../../src/outbox/states.ts';
import type { ConsentStatus, StopMaker } from '../../src/recipients/recipient.ts';

/** The committed state that the invariants cover. Times are text. */
export interface CommittedState {
  /** The finished transactions: while these are the same, nothing more was committed. */
  transactions: string;
  businesses: CommittedBusiness[];
  recipients: CommittedRecipient[];
  messages: CommittedMessage[];
  sends: CommittedSend[];
  events: CommittedEvent[];
  deliveries: CommittedDelivery[];
  endpoints: { business_id: string; id: string; live: boolean; event_types: string[] }[];
  records: CommittedRecord[];
  replies: { business_id: string; id: string; message_id: string | null }[];
  stops: { business_id: string; channel: 'sms' | 'whatsapp'; hash: string; made_by: StopMaker }[];
  keys: { business_id: string; id: string; revoked: boolean }[];
  /** What the projector has not applied yet. */
  order_changes: { business_id: string; reference: string; email: string | null }[];
  orders: CommittedOrder[];
  order_recipients: { business_id: string; reference: string; email: string; named_id: string }[];
  shipments: CommittedShipment[];
  tracking_events: CommittedTrackingEvent[];
}

export interface CommittedOrder {
  business_id: string;
  reference: string;
  status: string | null;
  status_at: string | null;
}

export interface CommittedShipment {
  business_id: string;
  reference: string;
  tracking_number: string;
  carrier: string | null;
  tracking_url: string | null;
  expected_on: string | null;
  expected_until: string | null;
  status: string | null;
  status_at: string | null;
}

export interface CommittedTrackingEvent {
  business_id: string;
  reference: string;
  tracking_number: string;
  status: TrackingStatus;
  at: string;
  received_at: string;
}

export interface CommittedBusiness {
  id: string;
  active: boolean;
  paused: boolean;
  plan: 'active' | 'past_due' | 'lapsed';
  plan_period_end: string | null;
  plan_lapsed_at: string | null;
  sms_mode: string;
  whatsapp_mode: string;
  threshold: number;
  balance: number;
  reserved: number;
  ledger: number;
  granted: number;
}

export interface CommittedRecipient {
  business_id: string;
  id: string;
  email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  sms_stopped_by: StopMaker | null;
  whatsapp_status: ConsentStatus;
  unsubscribed: boolean;
}

export interface CommittedMessage {
  business_id: string;
  id: string;
  recipient_id: string;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  opened_at: string | null;
  unread_again: boolean;
}

export interface CommittedSend {
  business_id: string;
  id: string;
  message_id: string | null;
  recipient_id: string;
  channel: Channel;
  purpose: string;
  state: SendState;
  reason: string | null;
  error_code: string | null;
  due_at: string | null;
  lease: string | null;
  attempts: number;
  credits: number;
  reserved: boolean;
  charged: boolean;
  escalate_minutes: number | null;
  fallback_of: string | null;
  submitted_at: string | null;
  delivered_at: string | null;
  bounced_at: string | null;
  complained_at: string | null;
}

export interface CommittedEvent {
  business_id: string;
  id: string;
  type: string;
  message_id: string | null;
  recipient_id: string | null;
  data: Record<string, unknown>;
}

export interface CommittedDelivery {
  business_id: string;
  endpoint_id: string;
  event_id: string;
  state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: number;
  due_at: string | null;
}

export interface CommittedRecord {
  business_id: string;
  scope: string;
  key: string;
  status: number;
  response: string;
  expires_at: string;
}

export const EMPTY_STATE: CommittedState = {
  transactions: '',
  businesses: [],
  recipients: [],
  messages: [],
  sends: [],
  events: [],
  deliveries: [],
  endpoints: [],
  records: [],
  replies: [],
  stops: [],
  keys: [],
  order_changes: [],
  orders: [],
  order_recipients: [],
  shipments: [],
  tracking_events: [],
};

const rows = (name: string, select: string): string =>
  `'${name}', (select coalesce(json_agg(x), '[]') from (${select}) x)`;

const SNAPSHOT = `select json_build_object(
  ${rows(
    'businesses',
    `select b.id, b.active, b.paused, b.plan, b.plan_period_end, b.plan_lapsed_at, b.sms_mode, b.whatsapp_mode,
       b.low_balance_threshold as threshold, a.balance, a.reserved,
       (select coalesce(sum(amount), 0) from credit_ledger l where l.business_id = b.id) as ledger,
       (select coalesce(sum(amount), 0) from credit_ledger l where l.business_id = b.id and l.kind = 'grant') as granted
     from businesses b join credit_accounts a on a.business_id = b.id order by b.id`,
  )},
  ${rows(
    'recipients',
    `select business_id, id, email, phone, sms_status, sms_stopped_by, whatsapp_status,
       unsubscribed_at is not null as unsubscribed from recipients order by id`,
  )},
  ${rows('messages', 'select business_id, id, recipient_id, kind, status, opened_at, unread_again from messages order by id')},
  ${rows(
    'sends',
    `select business_id, id, message_id, recipient_id, channel, purpose, state, reason, error_code, due_at, lease,
       attempts, credits, reserved, charged, escalate_minutes, fallback_of, submitted_at, delivered_at, bounced_at, complained_at
     from sends order by id`,
  )},
  ${rows('events', 'select business_id, id, type, message_id, recipient_id, data from events order by id')},
  ${rows(
    'deliveries',
    `select business_id, endpoint_id, event_id, state, attempts, due_at from webhook_deliveries
     order by event_id, endpoint_id`,
  )},
  ${rows(
    'endpoints',
    `select business_id, id, disabled_at is null and deleted_at is null as live, event_types from webhook_endpoints order by id`,
  )},
  ${rows(
    'records',
    'select business_id, scope, key, status, response, expires_at from idempotency_records order by scope, key',
  )},
  ${rows('replies', 'select business_id, id, message_id from whatsapp_replies order by id')},
  ${rows(
    'stops',
    `select business_id, channel, encode(number_hash, 'hex') as hash, made_by from stops
     order by business_id, channel, number_hash`,
  )},
  ${rows('keys', 'select business_id, id, revoked_at is not null as revoked from api_keys order by id')},
  ${rows('order_changes', 'select business_id, reference, email from order_changes')},
  ${rows('orders', 'select business_id, reference, status, status_at from orders')},
  ${rows('order_recipients', 'select business_id, reference, email, named_id from order_recipients')},
  ${rows(
    'shipments',
    `select business_id, reference, tracking_number, carrier, tracking_url, expected_on, expected_until, status, status_at
     from shipments order by id`,
  )},
  ${rows(
    'tracking_events',
    'select business_id, reference, tracking_number, status, at, received_at from tracking_events order by id',
  )}
) as snapshot`;

/** The committed state now; the same object when nothing was committed since. */
export async function takeSnapshot(monitor: Client, before: CommittedState): Promise<CommittedState> {
  const counter = await monitor.query<{ transactions: string }>(
    'select pg_current_snapshot()::text as transactions',
  );
  const transactions = counter.rows[0]?.transactions ?? '';
  if (transactions === before.transactions) return before;
  const { rows: found } = await monitor.query<{ snapshot: CommittedState }>({
    name: 'snapshot',
    text: SNAPSHOT,
  });
  const [first] = found;
  if (!first) throw new Error('there is no snapshot');
  return { ...first.snapshot, transactions };
}
