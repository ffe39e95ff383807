import { recordAudit } from '../businesses/audit.ts';
import type { SmsView } from '../contract/recipients.ts';
import { violates } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { lockNumber, newId } from '../kit/ids.ts';
import { maskPhone, type Phone, parsePhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { clearedNumber, givenNumber, type Recipient } from './recipient.ts';
import { recipientFrom, rowFrom } from './recipientRow.ts';
import {
  findRecipient,
  lockRecipient,
  type RecipientRow,
  readNumber,
  waitForRecipient,
  writeNumber,
} from './sql.ts';
import { numberLock } from './stops.ts';

interface PhoneDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
}

/** `email` is normalised. */
interface RecipientName {
  businessId: string;
  email: string;
}

/** Who enters or clears a number: for the consent log, and for the audit. */
interface NumberEntry {
  source: 'api' | 'admin';
  actor: string;
}

/**
 * Gives a recipient a number (interface 2.10). A number of another recipient is refused and never moved; when two calls
 * race, the unique index lets one win. Waiting sends pass the gates again when they run.
 */
export async function enterPhone(deps: PhoneDeps, name: RecipientName, text: string, by: NumberEntry) {
  const phone = parsePhone(text);
  if (phone === null) throw new ApiError('sms.phone_invalid');
  try {
    return await changePhone(deps, name, phone, by);
  } catch (error) {
    if (violates(error, 'recipients_by_phone')) throw new ApiError('sms.phone_already_in_use');
    throw error;
  }
}

/** Removes a recipient's number; an opt-out stays. */
export const removePhone = (deps: PhoneDeps, name: RecipientName, by: NumberEntry) =>
  changePhone(deps, name, null, by);

const changePhone = (
  { pool, clock, hash }: PhoneDeps,
  { businessId, email }: RecipientName,
  phone: Phone | null,
  { source, actor }: NumberEntry,
) =>
  transaction(pool, async (tx) => {
    await waitForRecipient(tx, lockNumber('recipient', businessId, email));
    if (phone) await waitForRecipient(tx, numberLock(phone.number));
    const [row] = await lockRecipient(tx, businessId, email);
    if (!row) throw new ApiError('recipient.not_found');
    // After the locks, so that these rows are not dated before those of the transaction that held them.
    const now = clock.now();
    const before = recipientFrom(row);
    const { recipient, entries } = phone
      ? givenNumber(before, phone, await factsOf(tx, hash, businessId, before, phone), source, now)
      : clearedNumber(before, source, now);
    if (recipient === before) return { view: smsView(row), changed: false };

    const after = rowFrom(recipient);
    const consent = entries.map((entry, ordinal) => ({
      business_id: businessId,
      id: newId(now, ordinal),
      recipient_id: recipient.id,
      ...entry,
      at: now,
    }));
    await writeNumber(tx, businessId, JSON.stringify([after]), JSON.stringify(consent));
    const action = phone ? 'phone_set' : 'phone_cleared';
    await recordAudit(tx, now, { businessId, actor, action, recipient: { id: recipient.id, email } });
    return { view: smsView(after), changed: true };
  });

async function factsOf(tx: Client, hash: Hasher, businessId: string, { id }: Recipient, { number }: Phone) {
  const [facts] = await readNumber(tx, businessId, number, hash('phone', number));
  const heldBy = facts?.held_by ?? null;
  if (heldBy !== null && heldBy !== id) throw new ApiError('sms.phone_already_in_use');
  const smsStop = facts?.sms_stop ?? null;
  return { heldBy, smsStop, whatsappStopped: facts?.whatsapp_stopped ?? false, notOnWhatsapp: false };
}

/** `email` is normalised. */
export async function viewSms(db: Queryable, businessId: string, email: string): Promise<SmsView> {
  const [row] = await findRecipient(db, businessId, email);
  if (!row) throw new ApiError('recipient.not_found');
  return smsView(row);
}

const smsView = (state: RecipientRow): SmsView => ({
  recipient_email: state.email,
  phone: state.phone === null ? null : maskPhone(state.phone),
  sms_status: state.sms_status,
  sms_status_at: state.sms_status_at?.toISOString() ?? null,
  sms_consent_at: state.sms_consent_at?.toISOString() ?? null,
  sms_consent_source: state.sms_consent_source,
});
