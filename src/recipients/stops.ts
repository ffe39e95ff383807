import type { Queryable } from '../db/statement.ts';
import { lockNumber, newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import type { ConsentStatus, StopMaker } from './recipient.ts';
import {
  deleteTextedStop,
  type HolderRow,
  insertConsentEntry,
  insertTextedStop,
  setSmsStatus,
  setWhatsappStopped,
} from './stopsSql.ts';

/**
 * Held by whoever gives a number to a person and by whoever hears its owner say stop, for the whole of their
 * transactions: a stop is seen by the one, or the person by the other. Taken after the recipient's, before any row.
 */
export const numberLock = (number: string): bigint => lockNumber('number', number);

export interface SmsStanding {
  status: ConsentStatus;
  stoppedBy: StopMaker | null;
}

/** Texting STOP stops from any state (interface 3.4); a stop made in the inbox or the dashboard stays what it is. */
export const afterTextedStop = (standing: SmsStanding): SmsStanding =>
  standing.status === 'stopped' ? standing : { status: 'stopped', stoppedBy: 'text' };

/** Texting START lifts only a stop that was texted. */
export const afterTextedStart = (standing: SmsStanding): SmsStanding =>
  standing.status === 'stopped' && standing.stoppedBy === 'text'
    ? { status: 'active', stoppedBy: null }
    : standing;

/** The person, locked, texted STOP. Answers whether that changed anything. */
export const textedStop = (tx: Queryable, hash: Hasher, holder: HolderRow, now: Date): Promise<boolean> =>
  texted(tx, hash, holder, 'stopped', now);

/** The person, locked, texted START. Answers whether that changed anything. */
export const textedStart = (tx: Queryable, hash: Hasher, holder: HolderRow, now: Date): Promise<boolean> =>
  texted(tx, hash, holder, 'started', now);

async function texted(
  tx: Queryable,
  hash: Hasher,
  holder: HolderRow,
  action: 'stopped' | 'started',
  now: Date,
): Promise<boolean> {
  const { business_id, recipient_id, sms_status: status, sms_stopped_by: stoppedBy, phone } = holder;
  const before: SmsStanding = { status, stoppedBy };
  const after = action === 'stopped' ? afterTextedStop(before) : afterTextedStart(before);
  const numberHash = hash('phone', phone);
  // Kept by number as well: it outlives the person's record, and a START lifts it there, too.
  if (action === 'stopped') await insertTextedStop(tx, business_id, 'sms', numberHash, now);
  else await deleteTextedStop(tx, business_id, numberHash);
  if (after === before) return false;
  await setSmsStatus(tx, business_id, recipient_id, after.status, after.stoppedBy, now);
  await insertConsentEntry(tx, business_id, newId(now), recipient_id, 'sms', action, 'text', now);
  return true;
}

/** The person, locked, wrote STOP on WhatsApp: no more WhatsApp from this business, for good. */
export async function stoppedOnWhatsapp(
  tx: Queryable,
  hash: Hasher,
  holder: HolderRow,
  now: Date,
): Promise<boolean> {
  const { business_id, recipient_id, whatsapp_status, phone } = holder;
  await insertTextedStop(tx, business_id, 'whatsapp', hash('phone', phone), now);
  if (whatsapp_status === 'stopped') return false;
  await setWhatsappStopped(tx, business_id, recipient_id, now);
  await insertConsentEntry(tx, business_id, newId(now), recipient_id, 'whatsapp', 'stopped', 'whatsapp', now);
  return true;
}
