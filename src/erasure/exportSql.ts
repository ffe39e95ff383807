import { statement } from '../db/statement.ts';
import type { NumberKey, RecipientKey } from './sql.ts';

export type ExportedRow = Record<string, unknown>;

/** The whole row, so that a column added later is exported too. */
const rowAsJson = (alias: string, ...withheld: string[]): string =>
  `to_jsonb(${alias}) - ${['business_id', ...withheld].map((column) => `'${column}'`).join(' - ')} as row`;

export const exportPerson = statement<[businessId: string, email: string], { id: string; row: ExportedRow }>(`
  select r.id, ${rowAsJson('r')} from recipients r where r.business_id = $1 and r.email = $2`);

export const exportMessages = statement<
  [...RecipientKey, afterId: string, limit: number],
  { id: string; row: ExportedRow; sends: ExportedRow[]; history: ExportedRow[] }
>(`
  select m.id, ${rowAsJson('m', 'recipient_id')},
    coalesce((select jsonb_agg(to_jsonb(s) - 'business_id' - 'recipient_id' - 'lease' - 'attempt_token'
        || jsonb_build_object('attempted', coalesce((
          select jsonb_agg(to_jsonb(a) - 'business_id' - 'send_id' order by a.attempt) from send_attempts a
          where a.business_id = $1 and a.send_id = s.id), '[]')) order by s.id)
      from sends s where s.business_id = $1 and s.message_id = m.id), '[]') as sends,
    coalesce((select jsonb_agg(to_jsonb(e) - 'business_id' - 'message_id' order by e.id)
      from message_events e where e.business_id = $1 and e.message_id = m.id), '[]') as history
  from messages m where m.business_id = $1 and m.recipient_id = $2 and m.id > $3
  order by m.id limit $4`);

const ofPerson = (table: string, row: string, order = 't.id', condition = 'true') =>
  statement<RecipientKey, { row: ExportedRow }>(`
    select ${row} from ${table} t where t.business_id = $1 and t.recipient_id = $2 and ${condition} order by ${order}`);

const ROW = rowAsJson('t', 'recipient_id');
/** The token opens the inbox, so even its hash stays secret. */
const WITHOUT_TOKEN = rowAsJson('t', 'recipient_id', 'token_hash');
/** A captured nudge holds the link that opens the inbox, so its token is cut out. */
const WITHOUT_LINK = `regexp_replace((to_jsonb(t) - 'business_id' - 'recipient_id')::text,
      '/i/[A-Za-z0-9_-]+', '/i/…', 'g')::jsonb as row`;

/** The tables of which an export has the person's rows, by the names that it gives them. */
export const exportedTables = {
  /** Sends without a message: forwarded replies, acknowledgements, new links. */
  service_mail: ofPerson(
    'sends',
    rowAsJson('t', 'recipient_id', 'lease', 'attempt_token'),
    't.id',
    't.message_id is null',
  ),
  consent_log: ofPerson('consent_log', ROW),
  whatsapp_replies: ofPerson('whatsapp_replies', ROW),
  links: ofPerson('links', WITHOUT_TOKEN, 't.send_id'),
  inbox_sessions: ofPerson('inbox_sessions', WITHOUT_TOKEN),
  stored_responses: ofPerson(
    'idempotency_records',
    rowAsJson('t', 'recipient_id', 'fingerprint'),
    't.created_at, t.scope, t.key',
  ),
  audit_entries: ofPerson('audit_entries', ROW),
  sandbox_messages: ofPerson('sandbox_messages', WITHOUT_LINK),
};

/** Also those about the address alone, from before anything was sent to it. With what endpoints answered, which may repeat them. */
export const exportEvents = statement<
  [businessId: string, email: string, recipientId: string | null],
  { row: ExportedRow }
>(`
  select to_jsonb(t) - 'business_id' - 'recipient_id' || jsonb_build_object('responses', coalesce((
      select jsonb_agg(a.response order by a.at) from webhook_deliveries d join webhook_attempts a
        on a.business_id = $1 and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id and a.response is not null
      where d.business_id = $1 and d.event_id = t.id), '[]')) as row
  from events t where t.business_id = $1 and t.recipient_id = any (array(
    select named_id from order_recipients where business_id = $1 and email = $2) || $3::text)
  order by t.id`);

/** The orders that name the address, with their shipments and these with their events. */
export const exportOrders = statement<[businessId: string, email: string], { row: ExportedRow }>(`
  select to_jsonb(o) - 'business_id' - 'change_id' || jsonb_build_object('shipments', coalesce((
    select jsonb_agg(to_jsonb(s) - 'business_id' - 'reference' || jsonb_build_object('events', coalesce((
        select jsonb_agg(to_jsonb(t) - 'business_id' - 'reference' - 'tracking_number' order by t.at, t.id) from tracking_events t
        where t.business_id = $1 and t.reference = s.reference and t.tracking_number = s.tracking_number), '[]')) order by s.id)
    from shipments s where s.business_id = $1 and s.reference = o.reference), '[]')) as row
  from order_recipients n join orders o on o.business_id = $1 and o.reference = n.reference
  where n.business_id = $1 and n.email = $2 order by n.named_id`);

/** What connected stores and tracking services sent about them. Calls that were not understood name nobody. */
export const exportCalls = statement<
  [businessId: string, email: string],
  { row: ExportedRow; body: Buffer }
>(`
  select ${rowAsJson('c', 'email', 'call_key', 'body', 'due_at', 'lease')}, c.body
  from connection_calls c where c.business_id = $1 and c.email = $2 order by c.id`);

export const exportToldOrders = statement<[businessId: string, email: string], { row: ExportedRow }>(`
  select ${rowAsJson('o', 'email', 'revision')} from connection_orders o
  where o.business_id = $1 and o.email = $2 order by o.updated_at, o.store_order`);

/** Keyed by hash alone, so also found for an address that was erased. */
export const exportSuppressions = statement<[businessId: string, emailHash: Buffer], { row: ExportedRow }>(`
  select ${rowAsJson('s', 'email_hash')} from suppressions s where s.business_id = $1 and s.email_hash = $2 order by s.at`);

export interface NumberRows {
  stops: ExportedRow[];
  messaged_numbers: ExportedRow[];
  auto_reply_window_until: Date | null;
  not_on_whatsapp_until: Date | null;
}

export const exportNumber = statement<NumberKey, NumberRows>(`
  select
    coalesce((select jsonb_agg(to_jsonb(s) - 'business_id' - 'number_hash') from stops s
      where s.business_id = $1 and s.number_hash = $2), '[]') as stops,
    coalesce((select jsonb_agg(to_jsonb(m) - 'business_id' - 'number_hash') from messaged_numbers m
      where m.business_id = $1 and m.number_hash = $2), '[]') as messaged_numbers,
    (select until from auto_reply_windows where business_id = $1 and number_hash = $2) as auto_reply_window_until,
    (select until from whatsapp_unreachable where business_id = $1 and number_hash = $2) as not_on_whatsapp_until`);

/** All statements of an export read one snapshot. */
export const freezeView = statement<[]>(`set transaction isolation level repeatable read, read only`);
