import type { Client } from '../db/pool.ts';
import { lockNumber } from '../kit/ids.ts';
import { numberLock } from '../recipients/stops.ts';
import { keyOf } from './known.ts';
import type { RecordKey } from './load.ts';
import type { LoadedRecord } from './loadSql.ts';
import { heldPhones, tryList, waitForList } from './locksSql.ts';
import type { PushRequest } from './request.ts';

/** As much of an item as says what to lock for it. */
export interface Lockable {
  businessId: string;
  key: string;
  request: Pick<PushRequest, 'recipientEmail' | 'phone'>;
}

export interface Locks {
  /** By item, whether its idempotency key is ours; a batch's own key comes last. */
  keys: boolean[];
  /** By item, whether its recipient is ours, and the number that it brings: nobody can text STOP from it meanwhile. */
  recipients: boolean[];
  /** The numbers that the recipients hold once they are locked. */
  heldNumbers: { businessId: string; number: string }[];
  /** Answers that were given before the locks were asked for. */
  records: LoadedRecord[];
}

/** Takes what is free and waits for nothing. */
export async function tryLocks(
  tx: Client,
  items: Lockable[],
  own: RecordKey | null,
  now: Date,
): Promise<Locks> {
  const names = items.map(({ key }) => key);
  const wanted = [...recipientLocks(items), ...numberLocks(items)];
  const [locks] = await tryList(tx, keyLocks(items, own), wanted, ...people(items), names, now);
  if (!locks) throw new Error('the locks of a list gave no answer');
  const { keys, recipients: taken, phones, records } = locks;
  const recipients = items.map((_, place) => taken[place] === true && taken[items.length + place] === true);
  return { keys, recipients, heldNumbers: numbersOf(items, phones), records: records ?? [] };
}

/** Waits for the recipients, unless a key is being worked on: then there is nothing to wait for. */
export async function waitForLocks(tx: Client, items: Lockable[], own: RecordKey | null): Promise<Locks> {
  const inOrder = [...ascending(recipientLocks(items)), ...ascending(numberLocks(items))];
  const [[locks], [held]] = await Promise.all([
    waitForList(tx, keyLocks(items, own), inOrder),
    heldPhones(tx, ...people(items)),
  ]);
  if (!locks) throw new Error('the locks of a list gave no answer');
  const { keys } = locks;
  if (!keys.every(Boolean)) return { keys, recipients: items.map(() => false), heldNumbers: [], records: [] };
  const heldNumbers = numbersOf(items, held?.phones ?? []);
  return { keys, recipients: items.map(() => true), heldNumbers, records: [] };
}

/** Whether an item can be decided here and now, or what is in its way. */
export type Standing = 'free' | 'in_progress' | 'recipient_busy';

export function standingsOf(items: Lockable[], locks: Locks): Standing[] {
  const seen = new Set<string>();
  return items.map(({ businessId, key }, ordinal) => {
    const name = keyOf(businessId, key);
    // Twice in one list: the first is still being worked on when the second arrives.
    if (!locks.keys[ordinal] || seen.has(name)) return 'in_progress';
    seen.add(name);
    return locks.recipients[ordinal] ? 'free' : 'recipient_busy';
  });
}

function keyLocks(items: Lockable[], own: RecordKey | null): bigint[] {
  const keys: RecordKey[] = items.map(({ businessId, key }) => ({ businessId, scope: 'push', key }));
  if (own) keys.push(own);
  return keys.map(({ businessId, scope, key }) => lockNumber('idempotency', businessId, scope, key));
}

const recipientLocks = (items: Lockable[]): bigint[] =>
  items.map(({ businessId, request }) => lockNumber('recipient', businessId, request.recipientEmail));

/** One an item, which takes its recipient's once more when it brings no number. */
const numberLocks = (items: Lockable[]): bigint[] =>
  items.map(({ businessId, request: { recipientEmail, phone } }) =>
    phone === null ? lockNumber('recipient', businessId, recipientEmail) : numberLock(phone.number),
  );

const ascending = (locks: bigint[]): bigint[] => [...new Set(locks)].sort((a, b) => (a < b ? -1 : 1));

const people = (items: Lockable[]): [businessIds: string[], emails: string[]] => [
  items.map(({ businessId }) => businessId),
  items.map(({ request }) => request.recipientEmail),
];

const numbersOf = (items: Lockable[], phones: readonly (string | null)[]): Locks['heldNumbers'] =>
  items.flatMap(({ businessId }, index) => {
    const number = phones[index];
    return number ? [{ businessId, number }] : [];
  });
