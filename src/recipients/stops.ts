import type { PaidChannel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { lockNumber, newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { STOP_MAKERS, type StopMaker } from './recipient.ts';
import {
  deleteNumberStop,
  type HolderRow,
  insertConsentEntry,
  setSmsStatus,
  setWhatsappStopped,
  stopNumber,
} from './stopsSql.ts';

/**
 * The stops that this one replaces. A firmer stop replaces a weaker one, never the other way round, and only the maker of a
 * stop can lift it (interface 3.4): a texted START does not lift a stop made in the inbox.
 */
export const weakerThan = (maker: StopMaker): StopMaker[] => STOP_MAKERS.slice(0, STOP_MAKERS.indexOf(maker));

export type SmsConsent = Pick<HolderRow, 'sms_status' | 'sms_stopped_by'>;

/** A stop applies in any state. */
export const afterStop = (consent: SmsConsent, maker: StopMaker): SmsConsent =>
  consent.sms_status === 'stopped' &&
  (consent.sms_stopped_by === null || !weakerThan(maker).includes(consent.sms_stopped_by))
    ? consent
    : { sms_status: 'stopped', sms_stopped_by: maker };

/** Without a number there is nothing to consent to. */
export const afterStart = (consent: SmsConsent, maker: StopMaker, hasNumber: boolean): SmsConsent =>
  consent.sms_status === 'stopped' && consent.sms_stopped_by === maker
    ? { sms_status: hasNumber ? 'active' : 'none', sms_stopped_by: null }
    : consent;

/** The person to whom a stop or a start applies; their row is locked. */
export type StoppedPerson = Omit<HolderRow, 'email' | 'phone'> & { phone: string | null };

export interface Stop {
  channel: PaidChannel;
  maker: StopMaker;
  /** As the consent log names it. */
  source: 'text' | 'whatsapp' | 'inbox' | 'dashboard';
}

/**
 * Writes a stop on the person and on the number, where it outlives the person's record. Returns whether the person's consent
 * changed. It cancels no waiting sends: `stopChannel` does both.
 */
export async function recordStop(
  tx: Queryable,
  hash: Hasher,
  person: StoppedPerson,
  { channel, maker, source }: Stop,
  now: Date,
): Promise<boolean> {
  const { business_id, recipient_id, phone } = person;
  if (phone !== null)
    await stopNumber(tx, business_id, channel, hash('phone', phone), maker, now, weakerThan(maker));
  if (channel === 'sms') return changeSms(tx, person, afterStop(person, maker), 'stopped', source, now);
  if (person.whatsapp_status === 'stopped') return false;
  await setWhatsappStopped(tx, business_id, recipient_id, now);
  await insertConsentEntry(tx, business_id, newId(now), recipient_id, channel, 'stopped', source, now);
  return true;
}

/** Lifts the same maker's stop of texts, on the person and on the number. A WhatsApp stop is permanent. */
export async function recordStart(
  tx: Queryable,
  hash: Hasher,
  person: StoppedPerson,
  maker: Exclude<StopMaker, 'dashboard'>,
  now: Date,
): Promise<boolean> {
  const { business_id, phone } = person;
  if (phone !== null) await deleteNumberStop(tx, business_id, hash('phone', phone), maker);
  return changeSms(tx, person, afterStart(person, maker, phone !== null), 'started', maker, now);
}

/** False: nothing changes. */
async function changeSms(
  tx: Queryable,
  before: StoppedPerson,
  after: SmsConsent,
  action: 'stopped' | 'started',
  source: string,
  now: Date,
): Promise<boolean> {
  if (after === before) return false;
  const { business_id, recipient_id } = before;
  await setSmsStatus(tx, business_id, recipient_id, after.sms_status, after.sms_stopped_by, now);
  await insertConsentEntry(tx, business_id, newId(now), recipient_id, 'sms', action, source, now);
  return true;
}

/** For a STOP from a number that no recipient of the business holds now. It applies to a recipient who gets it later. */
export const stopFreeNumber = (
  tx: Queryable,
  businessId: string,
  channel: PaidChannel,
  numberHash: Buffer,
  now: Date,
) => stopNumber(tx, businessId, channel, numberHash, 'text', now, weakerThan('text'));

/**
 * Serialises giving a number to a person with applying a STOP from it: either the first sees the stop, or the second sees
 * the person. Take it after the recipient's lock and before any row lock.
 */
export const numberLock = (number: string): bigint => lockNumber('number', number);
