import { channels, type PaidChannel } from '../../../contract/channels.ts';
import type { Client } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { transaction } from '../../../db/transaction.ts';
import { newId } from '../../../kit/ids.ts';
import type { Unsubscribing } from '../../../kit/idToken.ts';
import { maskPhone } from '../../../kit/phoneNumber.ts';
import { cancelSends } from '../../../outbox/cancelSends.ts';
import { stopChannel } from '../../../outbox/stopChannel.ts';
import { recordStart, type StoppedPerson } from '../../../recipients/stops.ts';
import { insertConsentEntry, keepUnsubscription } from '../../../recipients/stopsSql.ts';
import { suppress } from '../../../recipients/suppressions.ts';
import type { InboxDeps } from '../context.ts';
import type { Reader } from '../reading/reads.ts';
import { type InboxPersonRow, lockInboxPerson, readPerson, setUnsubscribed } from '../sql.ts';

export type Choices = NonNullable<Awaited<ReturnType<typeof readChoices>>>;

/** A person's consent and subscriptions, as the page shows them. */
export async function readChoices(db: Queryable, { businessId, recipientId }: Reader) {
  const [person] = await readPerson(db, businessId, recipientId);
  if (!person) return null;
  return {
    email: person.email,
    phone: person.phone === null ? null : maskPhone(person.phone),
    texts: textsOf(person),
    whatsapp: person.whatsapp_status,
    unsubscribed: person.unsubscribed_at !== null,
  };
}

function textsOf({
  sms_status,
  sms_stopped_by,
  phone,
}: InboxPersonRow): 'none' | 'active' | 'stopped_here' | 'stopped_by_text' | 'stopped_by_shop' {
  if (sms_status === 'active') return phone === null ? 'none' : 'active';
  if (sms_status === 'none') return 'none';
  if (sms_stopped_by === 'inbox') return 'stopped_here';
  return sms_stopped_by === 'text' ? 'stopped_by_text' : 'stopped_by_shop';
}

type ChoiceDeps = Pick<InboxDeps, 'pool' | 'hasher'>;

/** Returns how many webhook deliveries were queued, like the other choices. A repeated choice changes nothing. */
export const stopTexts = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) =>
    textsOf(person) === 'active' ? stopHere(tx, deps, reader, person, 'sms', now) : 0,
  );

/** Lifts only a stop made in the inbox (interface 3.4). */
export const resumeTexts = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) => {
    if (textsOf(person) === 'stopped_here')
      await recordStart(tx, deps.hasher, stoppedPerson(reader, person), 'inbox', now);
    return 0;
  });

/** Permanent: nothing lifts it. */
export const stopWhatsapp = (deps: ChoiceDeps, reader: Reader, now: Date): Promise<number> =>
  decide(deps, reader, async (tx, person) =>
    person.whatsapp_status === 'active' ? stopHere(tx, deps, reader, person, 'whatsapp', now) : 0,
  );

async function stopHere(
  tx: Client,
  { hasher }: ChoiceDeps,
  reader: Reader,
  person: InboxPersonRow,
  channel: PaidChannel,
  now: Date,
): Promise<number> {
  const stop = { channel, maker: 'inbox', source: 'inbox' } as const;
  return (await stopChannel(tx, hasher, stoppedPerson(reader, person), stop, now)).deliveries;
}

const stoppedPerson = ({ businessId, recipientId }: Reader, person: InboxPersonRow): StoppedPerson => ({
  ...person,
  business_id: businessId,
  recipient_id: recipientId,
});

/** Permanent: a keyed hash of the address keeps it through an erasure. */
export const unsubscribe = (deps: ChoiceDeps, reader: Reader, source: 'inbox' | 'one-click', now: Date) =>
  decide(deps, reader, (tx, person) => endUpdates(tx, deps, { ...reader, person }, source, now));

/** The same from a mail. If the recipient was erased since, the token's keyed hash of the address keeps the choice. */
export const unsubscribeByMail = (
  deps: ChoiceDeps,
  { businessId, recipientId, emailHash }: Unsubscribing,
  now: Date,
): Promise<number> =>
  transaction(deps.pool, async (tx) => {
    const [person] = await lockInboxPerson(tx, businessId, recipientId);
    if (person) return endUpdates(tx, deps, { businessId, recipientId, person }, 'one-click', now);
    await keepUnsubscription(tx, businessId, emailHash, now);
    return 0;
  });

async function endUpdates(
  tx: Client,
  { hasher }: ChoiceDeps,
  { person, ...reader }: Reader & { person: InboxPersonRow },
  source: 'inbox' | 'one-click',
  now: Date,
): Promise<number> {
  if (person.unsubscribed_at !== null) return 0;
  const { businessId, recipientId } = reader;
  await setUnsubscribed(tx, businessId, recipientId, now);
  await suppress(tx, hasher, [{ businessId, email: person.email, reason: 'unsubscribe' }], now);
  await insertConsentEntry(tx, businessId, newId(now), recipientId, 'email', 'unsubscribed', source, now);
  return (await cancelSends(tx, { businessId, recipientId, channels }, 'unsubscribed', now)).deliveries;
}

/** Locks the person: a permit of a send either commits before or sees the decision. */
function decide(
  { pool }: ChoiceDeps,
  { businessId, recipientId }: Reader,
  work: (tx: Client, person: InboxPersonRow) => Promise<number>,
): Promise<number> {
  return transaction(pool, async (tx) => {
    const [person] = await lockInboxPerson(tx, businessId, recipientId);
    return person ? work(tx, person) : 0;
  });
}
