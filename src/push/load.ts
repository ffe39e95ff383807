import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { Hasher } from '../kit/seal.ts';
import { newRecipient } from '../recipients/recipient.ts';
import { buildSnapshot, type Hashed, type SnapshotCaller, type SnapshotRow } from './buildSnapshot.ts';
import { type ApiKeyRef, distinctCallers } from './callers.ts';
import { loadGroupRows, loadPlainGroupRows, preloadGroup } from './loadSql.ts';
import { type RecordKey, type Records, recordsOf } from './records.ts';
import type { PushRequest } from './request.ts';
import { keyOf, type PushSnapshot } from './snapshot.ts';

export interface PushOfBusiness {
  businessId: string;
  request: PushRequest;
}

/** An address or a number. */
type TextOfBusiness = Omit<Hashed, 'hex'>;

/** Loads the snapshot for these pushes. `heldNumbers` are the current numbers of their recipients. */
export async function loadGroup(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  pushes: PushOfBusiness[],
  heldNumbers: TextOfBusiness[],
  rows: typeof loadGroupRows = loadGroupRows,
): Promise<PushSnapshot> {
  const emails = emailsOf(pushes, hash);
  const changing = new Set(
    pushes
      .filter(changesRecipient)
      .map(({ businessId, request }) => keyOf(businessId, request.recipientEmail)),
  );
  const given = pushes.flatMap(({ businessId, request: { phone } }) =>
    phone ? [{ businessId, text: phone.number }] : [],
  );
  const numbers = hashed([...heldNumbers, ...given], 'phone', hash);
  const [row] = await rows(
    tx,
    now,
    earlier(now, HOUR),
    businessesOf(pushes),
    businessesOf(pushes.filter(({ request }) => mayPay(request))),
    peopleJson(emails, changing),
    numbersJson(numbers),
    updateablesJson(pushes),
    obsoletesJson(pushes),
  );
  if (!row) throw new Error('loadGroupRows returned no row');
  return buildSnapshot(row, emails, numbers, now);
}

/** What the first round trip of a group reads, right behind its locks. */
export interface Preloaded {
  /** The callers' valid API keys. */
  callers: SnapshotCaller[];
  records: Records;
  /** The recipients' current numbers. */
  heldNumbers: TextOfBusiness[];
  /** Builds the snapshot of a plain group, since a group of replays needs none; null: it must be loaded. */
  buildSnapshot: (() => PushSnapshot) | null;
}

interface FirstRead {
  now: Date;
  pushes: PushOfBusiness[];
  keys: readonly RecordKey[];
  callers: readonly ApiKeyRef[];
}

/**
 * Reads everything that does not depend on an earlier result. Most groups are plain and need nothing else; the others are loaded
 * once their recipients' numbers are known.
 */
export const preload = (tx: Queryable, hash: Hasher, first: FirstRead): Promise<Preloaded> =>
  first.pushes.every(isPlain) ? preloadPlain(tx, hash, first) : preloadFacts(tx, first);

/** Whether a push changes no number or consent, touches no other message and names no paid channel. */
const isPlain = ({ request }: PushOfBusiness): boolean =>
  request.phone === null &&
  request.whatsappOptIn === null &&
  request.kind === 'one_off' &&
  request.obsoletes.length === 0 &&
  !request.smsIfWhatsappFails &&
  (request.channels ?? []).every((channel) => channel === 'email');

/** Also for a preview, which no caller's key and no record is about. */
export async function preloadFacts(
  tx: Queryable,
  { now, pushes, keys, callers }: FirstRead,
): Promise<Preloaded> {
  const [found] = await preloadGroup(
    tx,
    now,
    keysJson(keys),
    pushes.map(({ businessId }) => businessId),
    pushes.map(({ request }) => request.recipientEmail),
    ...distinctCallers(callers),
  );
  if (!found) throw new Error('preloadGroup returned no row');
  const heldNumbers = pushes.flatMap(({ businessId }, index) => {
    const text = found.phones[index];
    return text ? [{ businessId, text }] : [];
  });
  return {
    callers: found.callers ?? [],
    records: recordsOf(found.records),
    heldNumbers,
    buildSnapshot: null,
  };
}

/** It suffices if the recipients are plain: a recipient who has or had a number, consent or a stop needs `loadGroup`. */
async function preloadPlain(
  tx: Queryable,
  hash: Hasher,
  { now, pushes, keys, callers }: FirstRead,
): Promise<Preloaded> {
  const emails = emailsOf(pushes, hash);
  const [row] = await loadPlainGroupRows(
    tx,
    now,
    keysJson(keys),
    businessesOf(pushes),
    peopleJson(emails, NOBODY),
    ...distinctCallers(callers),
    keys.length,
  );
  if (!row) throw new Error('loadPlainGroupRows returned no row');
  const people = row.people ?? [];
  const build = (): PushSnapshot => {
    const snapshot = buildSnapshot({ ...NOT_LOADED, ...row }, emails, [], now);
    for (const { business_id, id, email, language } of people)
      snapshot.recipients.set(keyOf(business_id, email), {
        ...newRecipient(id, email),
        language,
        unsubscribed: false,
        paidLastHour: 0,
      });
    return snapshot;
  };
  return {
    callers: row.callers ?? [],
    records: recordsOf(row.records),
    heldNumbers: people.flatMap(({ business_id: businessId, phone: text }) =>
      text === null ? [] : [{ businessId, text }],
    ),
    buildSnapshot: people.every(({ plain }) => plain) ? build : null,
  };
}

const NOT_LOADED = {
  recipients: null,
  holders: null,
  stops: null,
  unreachable: null,
  messages: null,
  waiting: null,
  prices: null,
  in_review: null,
  translated: null,
} as const satisfies Partial<SnapshotRow>;

const emailsOf = (pushes: readonly PushOfBusiness[], hash: Hasher): Hashed[] =>
  hashed(
    pushes.map(({ businessId, request }) => ({ businessId, text: request.recipientEmail })),
    'email',
    hash,
  );

/** Each once. */
function hashed(items: readonly TextOfBusiness[], kind: 'email' | 'phone', hash: Hasher): Hashed[] {
  const distinct = new Map(items.map((item) => [keyOf(item.businessId, item.text), item]));
  return Array.from(distinct.values(), ({ businessId, text }) => {
    return { businessId, text, hex: hash.hex(kind, text) };
  });
}

const NOBODY: ReadonlySet<string> = new Set();

/** By business, so that its id is sent once. */
const peopleJson = (emails: readonly Hashed[], changing: ReadonlySet<string>): string =>
  JSON.stringify(
    Array.from(groupBy(emails, businessOf), ([business_id, people]) => {
      const changes = ({ text }: Hashed): boolean => changing.has(keyOf(business_id, text));
      return {
        business_id,
        emails: people.filter((person) => !changes(person)).map(({ text }) => text),
        changing: people.filter(changes).map(({ text }) => text),
        email_hashes: people.map(({ hex }) => `\\x${hex}`),
      };
    }),
  );

const numbersJson = (numbers: readonly Hashed[]): string =>
  JSON.stringify(
    numbers.map(({ businessId, text, hex }) => {
      return { business_id: businessId, number: text, number_hash: `\\x${hex}` };
    }),
  );

const updateablesJson = (pushes: readonly PushOfBusiness[]): string =>
  JSON.stringify(
    pushes
      .filter(({ request }) => request.kind === 'updateable')
      .map(({ businessId, request: { recipientEmail: email, subject } }) => {
        return { business_id: businessId, email, subject };
      }),
  );

const obsoletesJson = (pushes: readonly PushOfBusiness[]): string =>
  JSON.stringify(
    pushes.flatMap(({ businessId, request }) =>
      request.obsoletes.map((id) => ({ business_id: businessId, id })),
    ),
  );

const keysJson = (keys: readonly RecordKey[]): string =>
  JSON.stringify(
    Array.from(groupBy(keys, businessOf), ([business_id, group]) =>
      (['push', 'batch'] as const).flatMap((scope) => {
        const ofScope = group.filter((key) => key.scope === scope).map(({ key }) => key);
        return ofScope.length === 0 ? [] : [{ business_id, scope, keys: ofScope }];
      }),
    ).flat(),
  );

const businessOf = ({ businessId }: { businessId: string }): string => businessId;

const businessesOf = (pushes: readonly PushOfBusiness[]): string[] => [
  ...new Set(pushes.map(({ businessId }) => businessId)),
];

const changesRecipient = ({ request }: PushOfBusiness): boolean =>
  request.phone !== null || request.whatsappOptIn !== null || request.language !== null;

/** Whether the request can reserve credits, so that the account is locked. The SQL adds accounts with a channel `on`. */
const mayPay = (request: PushRequest): boolean =>
  request.smsIfWhatsappFails || (request.channels ?? []).some((channel) => channel !== 'email');
