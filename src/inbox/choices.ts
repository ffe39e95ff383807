import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { newId } from '../kit/ids.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { type Channel, channels } from '../nudges/channels.ts';
import { applyChanges } from '../outbox/change.ts';
import { lockMessagesOf, lockSends } from '../outbox/lockSql.ts';
import { keyArrays } from '../outbox/send.ts';
import { calledOff, withSiblings } from '../outbox/siblings.ts';
import { isWaiting } from '../outbox/states.ts';
import { suppress } from '../recipients/suppressions.ts';
import {
  deleteTextStop,
  lockPerson,
  logConsent,
  type PersonRow,
  readPerson,
  setTexts,
  setUnsubscribed,
  setWhatsappStopped,
  waitingOf,
  writeStop,
} from './choicesSql.ts';
import type { Reader } from './reading.ts';

/** What a person has decided, as the page says it. */
export interface Choices {
  email: string;
  /** Masked. */
  phone: string | null;
  texts: 'none' | 'active' | 'stopped_here' | 'stopped_by_text' | 'stopped_by_shop';
  whatsapp: 'none' | 'active' | 'stopped';
  unsubscribed: boolean;
}

export async function readChoices(
  db: Queryable,
  { businessId, recipientId }: Reader,
): Promise<Choices | null> {
  const [person] = await readPerson(db, businessId, recipientId);
  return person ? choicesOf(person) : null;
}

export function choicesOf(person: PersonRow): Choices {
  return {
    email: person.email,
    phone: person.phone === null ? null : maskPhone(person.phone),
    texts: textsOf(person),
    whatsapp: person.whatsapp_status,
    unsubscribed: person.unsubscribed_at !== null,
  };
}

function textsOf({ sms_status, sms_stopped_by, phone }: PersonRow): Choices['texts'] {
  if (sms_status === 'active') return phone === null ? 'none' : 'active';
  if (sms_status === 'none') return 'none';
  if (sms_stopped_by === 'inbox') return 'stopped_here';
  return sms_stopped_by === 'text' ? 'stopped_by_text' : 'stopped_by_shop';
}

export interface ChoiceDeps {
  pool: Pool;
  hasher: Hasher;
}

/** Each answers how many webhook deliveries were queued; deciding what is decided already changes nothing. */
export const stopTexts = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) => {
    if (textsOf(person) !== 'active' || person.phone === null) return 0;
    await setTexts(tx, reader.businessId, reader.recipientId, 'stopped', 'inbox', now);
    await writeStop(tx, reader.businessId, 'sms', deps.hasher('phone', person.phone), now);
    await log(tx, reader, 'sms', 'stopped', now);
    return callOff(tx, reader, ['sms'], 'stopped', now);
  });

/** Lifts a stop that was made here, and no other: one made by text is lifted by text, one the shop noted by the shop. */
export const resumeTexts = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) => {
    if (textsOf(person) !== 'stopped_here') return 0;
    await setTexts(
      tx,
      reader.businessId,
      reader.recipientId,
      person.phone === null ? 'none' : 'active',
      null,
      now,
    );
    if (person.phone !== null)
      await deleteTextStop(tx, reader.businessId, deps.hasher('phone', person.phone));
    await log(tx, reader, 'sms', 'started', now);
    return 0;
  });

/** For good: nothing lifts it. */
export const stopWhatsapp = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) => {
    if (person.whatsapp_status !== 'active') return 0;
    await setWhatsappStopped(tx, reader.businessId, reader.recipientId, now);
    if (person.phone !== null) {
      await writeStop(tx, reader.businessId, 'whatsapp', deps.hasher('phone', person.phone), now);
    }
    await log(tx, reader, 'whatsapp', 'stopped', now);
    return callOff(tx, reader, ['whatsapp'], 'stopped', now);
  });

/** For good, and kept by a keyed hash of the address even when the person is erased. */
export const unsubscribe = (
  deps: ChoiceDeps,
  reader: Reader,
  source: 'inbox' | 'one-click',
  now: Date,
): Promise<number> =>
  decide(deps, reader, async (tx, person) => {
    if (person.unsubscribed_at !== null) return 0;
    await setUnsubscribed(tx, reader.businessId, reader.recipientId, now);
    const suppression = {
      businessId: reader.businessId,
      email: person.email,
      reason: 'unsubscribe' as const,
    };
    await suppress(tx, deps.hasher, [suppression], now);
    await log(tx, reader, 'email', 'unsubscribed', now, source);
    return callOff(tx, reader, channels, 'unsubscribed', now);
  });

/** In one transaction that holds the person: a send about to be permitted is over before, or sees the decision. */
function decide(
  { pool }: ChoiceDeps,
  { businessId, recipientId }: Reader,
  work: (tx: Client, person: PersonRow) => Promise<number>,
): Promise<number> {
  return transaction(pool, async (tx) => {
    const [person] = await lockPerson(tx, businessId, recipientId);
    return person ? work(tx, person) : 0;
  });
}

/** What waits on these channels is not sent: it ends as its turn would have ended it, but at once. */
async function callOff(
  tx: Client,
  { businessId, recipientId }: Reader,
  concerned: readonly Channel[],
  reason: 'stopped' | 'unsubscribed',
  now: Date,
): Promise<number> {
  const waiting = await waitingOf(tx, businessId, recipientId, [...concerned]);
  if (waiting.length === 0) return 0;
  const keys = keyArrays(waiting);
  await lockMessagesOf(tx, ...keys);
  const locked = await lockSends(tx, ...keys);
  const changes = locked
    .filter(({ state, channel }) => isWaiting(state) && concerned.includes(channel))
    .map((before) => ({ before, after: { ...calledOff(before, reason, now), state: 'skipped' as const } }));
  return applyChanges(tx, withSiblings(changes, locked, now), now);
}

const log = (
  tx: Client,
  { businessId, recipientId }: Reader,
  channel: Channel,
  action: 'stopped' | 'started' | 'unsubscribed',
  now: Date,
  source: 'inbox' | 'one-click' = 'inbox',
) => logConsent(tx, businessId, newId(now), recipientId, channel, action, source, now);
