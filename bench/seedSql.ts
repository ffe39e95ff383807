import { statement } from '../src/db/statement.ts';

/** Recipients with the addresses that the load generator uses. */
export const seedRecipients = statement<[businessId: string, count: number]>(`
  insert into recipients (business_id, id, email, created_at)
  select $1, 'r' || n, 'person' || n || '@example.com', now() from generate_series(0, $2::int - 1) n`);

/** Numbers from `first` on, each with the id of its message. Ids sort by number, as real ids sort by time. */
const NUMBERED = `
  select n, 'k' || lpad(n::text, 9, '0') || left(md5(n::text), 14) as id, 'r' || (n::bigint * 7919 % $4::int) as recipient_id
  from generate_series($2::int, $2::int + $3::int - 1) n`;

type Numbered = [businessId: string, first: number, count: number, recipients: number];

/** Messages as pushes write them, each about an order of its own. The order by number appends to the right edge of the index, as real pushes do. */
export const seedMessages = statement<[...Numbered, subject: string, body: string]>(`
  insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, created_at, updated_at)
  select $1, id, recipient_id, replace($5, '10001', (10000 + n)::text), $6, 'one_off', 'active', '#' || n, 'shipped', now() - interval '1 day', now() - interval '1 day'
  from (${NUMBERED}) m order by n`);

/** Their nudges, all delivered. */
export const seedDelivered = statement<Numbered>(`
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, attempts, created_at, submitted_at,
    last_status_at, delivered_at)
  select $1, id, id, recipient_id, 'email', 'nudge', 'delivered', 1, now() - interval '1 day', now() - interval '1 day',
    now() - interval '1 day', now() - interval '1 day'
  from (${NUMBERED}) m order by n`);

/** Their nudges, all queued and due. */
export const seedQueued = statement<Numbered>(`
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
  select $1, id, id, recipient_id, 'email', 'nudge', 'queued', now() - interval '1 second', now()
  from (${NUMBERED}) m order by n`);

/** The stored responses to their pushes. */
export const seedAnswers = statement<[...Numbered, response: string]>(`
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select $1, 'push', 'seed-' || id, sha256(id::bytea), 201, $5, recipient_id, now(), now() + interval '1 day'
  from (${NUMBERED}) m order by n`);
