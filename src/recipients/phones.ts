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
import { clearedNumber, givenNumber, type Recipient, type RecipientChange } from './recipient.ts';
import { recipientFrom, rowFrom } from './recipientRow.ts';
import {
  lockRecipient,
  readNumber,
  readSmsState,
  type SmsStateRow,
  waitForRecipient,
  writeNumber,
} from './sql.ts';
import { numberLock } from './stops.ts';

export interface PhoneDeps {
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
export interface NumberEntry {
  source: 'api' | 'admin';
  actor: string;
}

const byApi = (actor: string): NumberEntry => ({ source: 'api', actor });

interface PhoneChange {
  view: SmsView;
  /** False: the recipient had this number, or none, before. */
  changed: boolean;
}

/** `actor` is the key of the call. */
export const setPhone = async (
  deps: PhoneDeps,
  name: RecipientName,
  text: string,
  actor: string,
): Promise<SmsView> => (await enterPhone(deps, name, text, byApi(actor))).view;

export const clearPhone = async (
  deps: Pick<PhoneDeps, 'pool' | 'clock'>,
  name: RecipientName,
  actor: string,
): Promise<SmsView> => (await removePhone(deps, name, byApi(actor))).view;

/**
 * Gives a recipient a number (interface 2.10). A number of another recipient is refused and never moved; when two calls
 * race, the unique index lets one win. Waiting sends pass the gates again when they run.
 */
export async function enterPhone(
  deps: PhoneDeps,
  name: RecipientName,
  text: string,
  by: NumberEntry,
): Promise<PhoneChange> {
  const phone = parsePhone(text);
  if (phone === null) throw new ApiError('sms.phone_invalid');
  try {
    return await change(
      deps,
      name,
      { action: 'phone_set', newPhone: phone, actor: by.actor },
      (tx, before, now) => setNumber(tx, deps.hash, name, { before, phone, source: by.source, now }),
    );
  } catch (error) {
    if (violates(error, 'recipients_by_phone')) throw new ApiError('sms.phone_already_in_use');
    throw error;
  }
}

/** Removes a recipient's number; an opt-out stays. */
export const removePhone = (
  deps: Pick<PhoneDeps, 'pool' | 'clock'>,
  name: RecipientName,
  { source, actor }: NumberEntry,
): Promise<PhoneChange> =>
  change(deps, name, { action: 'phone_cleared', newPhone: null, actor }, async (_tx, before, now) =>
    clearedNumber(before, source, now),
  );

async function setNumber(
  tx: Client,
  hash: Hasher,
  { businessId }: RecipientName,
  { before, phone, source, now }: { before: Recipient; phone: Phone; source: 'api' | 'admin'; now: Date },
): Promise<RecipientChange> {
  const [facts] = await readNumber(tx, businessId, phone.number, hash('phone', phone.number));
  const heldBy = facts?.held_by ?? null;
  if (heldBy !== null && heldBy !== before.id) throw new ApiError('sms.phone_already_in_use');
  const number = {
    heldBy,
    smsStop: facts?.sms_stop ?? null,
    whatsappStopped: facts?.whatsapp_stopped ?? false,
    notOnWhatsapp: false,
  };
  return givenNumber(before, phone, number, source, now);
}

async function change(
  { pool, clock }: Pick<PhoneDeps, 'pool' | 'clock'>,
  { businessId, email }: RecipientName,
  {
    action,
    newPhone,
    actor,
  }: { action: 'phone_set' | 'phone_cleared'; newPhone: Phone | null; actor: string },
  decide: (tx: Client, before: Recipient, now: Date) => Promise<RecipientChange>,
): Promise<PhoneChange> {
  return transaction(pool, async (tx) => {
    await waitForRecipient(tx, lockNumber('recipient', businessId, email));
    if (newPhone) await waitForRecipient(tx, numberLock(newPhone.number));
    const [row] = await lockRecipient(tx, businessId, email);
    if (!row) throw new ApiError('recipient.not_found');
    // After the locks, so that these rows are not dated before those of the transaction that held them.
    const now = clock.now();
    const before = recipientFrom(row);
    const { recipient, entries } = await decide(tx, before, now);
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
    await recordAudit(tx, now, { businessId, actor, action, recipient: { id: recipient.id, email } });
    return { view: smsView(after), changed: true };
  });
}

/** `email` is normalised. */
export async function viewSms(db: Queryable, businessId: string, email: string): Promise<SmsView> {
  const [row] = await readSmsState(db, businessId, email);
  if (!row) throw new ApiError('recipient.not_found');
  return smsView(row);
}

const smsView = (state: SmsStateRow): SmsView => ({
  recipient_email: state.email,
  phone: state.phone === null ? null : maskPhone(state.phone),
  sms_status: state.sms_status,
  sms_status_at: state.sms_status_at?.toISOString() ?? null,
  sms_consent_at: state.sms_consent_at?.toISOString() ?? null,
  sms_consent_source: state.sms_consent_source,
});
