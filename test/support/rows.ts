import { USAGE_SLOTS } from '../../src/businesses/billingSql.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { transaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/kit/ids.ts';
import type { Purpose, Send } from '../../src/outbox/send.ts';

/** Rows as a push would have written them, for tests of what happens afterwards. */

type Columns = Record<string, unknown>;

/** Values for columns of a table; what is not named takes the table's default. */
export async function insertRow(db: Queryable, table: string, columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  await db.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(columns),
  );
}

export interface TestBusiness {
  id: string;
}

/** An account with this many credits; further columns of `businesses` as given. */
export async function insertTestBusiness(
  pool: Pool,
  now: Date,
  { credits = 0, ...columns }: Columns & { credits?: number } = {},
): Promise<TestBusiness> {
  const id = newId(now);
  await insertRow(pool, 'businesses', {
    id,
    name: 'Acme Books',
    sms_enabled_at: now,
    created_at: now,
    ...columns,
  });
  await insertRow(pool, 'credit_accounts', { business_id: id, balance: credits });
  await insertRow(pool, 'business_usage', { business_id: id });
  await pool.query(
    'insert into usage_slots (business_id, slot) select $1, generate_series(0, $2::integer - 1)',
    [id, USAGE_SLOTS],
  );
  if (credits > 0) {
    await insertRow(pool, 'credit_ledger', {
      business_id: id,
      id: newId(now),
      kind: 'grant',
      amount: credits,
      at: now,
    });
  }
  return { id };
}

export interface TestRecipient {
  id: string;
  businessId: string;
  email: string;
  phone: string | null;
}

let people = 0;

/** A person, with a British number that takes texts and WhatsApp unless told otherwise. */
export async function insertRecipient(
  pool: Pool,
  now: Date,
  { id: businessId }: TestBusiness,
  { email, phone = null, ...columns }: Columns & { email?: string; phone?: string | null } = {},
): Promise<TestRecipient> {
  people += 1;
  const id = newId(now);
  const address = email ?? `person${people}@example.com`;
  await insertRow(pool, 'recipients', {
    business_id: businessId,
    id,
    email: address,
    phone,
    phone_country: phone === null ? null : 'GB',
    sms_status: phone === null ? 'none' : 'active',
    whatsapp_status: phone === null ? 'none' : 'active',
    created_at: now,
    ...columns,
  });
  return { id, businessId, email: address, phone };
}

export interface TestMessage {
  id: string;
  to: TestRecipient;
}

export async function insertMessage(
  db: Queryable,
  now: Date,
  to: TestRecipient,
  columns: Columns = {},
): Promise<TestMessage> {
  const id = newId(now);
  await insertRow(db, 'messages', {
    business_id: to.businessId,
    id,
    recipient_id: to.id,
    subject: 'Your parcel is on its way',
    body: 'It left our warehouse this morning.',
    kind: 'one_off',
    status: 'active',
    reference: '#1001',
    order_status: 'shipped',
    created_at: now,
    updated_at: now,
    ...columns,
  });
  return { id, to };
}

/** A send of the message. Paid ones have their credit set aside, unless they are held. */
export const insertSend = (
  pool: Pool,
  now: Date,
  message: TestMessage,
  channel: Send['channel'],
  columns: SendColumns = {},
): Promise<string> =>
  // Together, as a push does it: a worker may be waiting for nothing else.
  transaction(pool, (tx) => insertSendRow(tx, now, message, channel, columns));

type SendColumns = Columns & { purpose?: Purpose; state?: Send['state']; credits?: number };

async function insertSendRow(
  tx: Queryable,
  now: Date,
  { id: messageId, to }: TestMessage,
  channel: Send['channel'],
  columns: SendColumns = {},
): Promise<string> {
  const id = newId(now);
  const { purpose = 'nudge', state = 'queued', credits = channel === 'email' ? 0 : 1, ...rest } = columns;
  const reserved = state === 'queued' && credits > 0;
  await insertRow(tx, 'sends', {
    business_id: to.businessId,
    id,
    message_id: messageId,
    recipient_id: to.id,
    channel,
    purpose,
    state,
    due_at: state === 'queued' ? now : null,
    credits,
    reserved,
    country: to.phone === null ? null : 'GB',
    created_at: now,
    ...rest,
  });
  if (reserved) {
    await tx.query('update credit_accounts set reserved = reserved + $2 where business_id = $1', [
      to.businessId,
      credits,
    ]);
  }
  return id;
}

export interface InsertedPush {
  messageId: string;
  email: string;
  sms: string;
  whatsapp: string;
  /** The text that stands in for the WhatsApp message. */
  fallback: string;
}

export interface PushToInsert {
  sms?: boolean;
  whatsapp?: boolean;
  smsIfWhatsappFails?: boolean;
  escalateMinutes?: number;
  sendAt?: Date;
  message?: Columns;
}

/** A message and its sends, as a push that asks for this writes them. Ids of sends it does not ask for are empty. */
export async function insertPush(
  pool: Pool,
  now: Date,
  to: TestRecipient,
  ask: PushToInsert = {},
): Promise<InsertedPush> {
  // In one transaction, too: what stands in for another must be there when that one is sent.
  return transaction(pool, async (tx) => {
    const made = await insertMessage(tx, now, to, { scheduled_for: ask.sendAt ?? null, ...ask.message });
    const from = ask.sendAt ?? now;
    const { escalateMinutes } = ask;
    const timing =
      escalateMinutes === undefined
        ? { due_at: from }
        : {
            state: 'held' as const,
            escalate_minutes: escalateMinutes,
            due_at: new Date(from.getTime() + escalateMinutes * 60_000),
          };
    const email = await insertSendRow(tx, now, made, 'email', { due_at: from });
    const sms = ask.sms ? await insertSendRow(tx, now, made, 'sms', timing) : '';
    const whatsapp = ask.whatsapp ? await insertSendRow(tx, now, made, 'whatsapp', timing) : '';
    const fallback = ask.smsIfWhatsappFails
      ? await insertSendRow(tx, now, made, 'sms', {
          purpose: 'fallback',
          state: 'held',
          fallback_of: whatsapp,
        })
      : '';
    return { messageId: made.id, email, sms, whatsapp, fallback };
  });
}
