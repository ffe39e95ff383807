import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { Hasher } from '../kit/seal.ts';
import { newRecipient } from '../recipients/recipient.ts';
import {
  buildSnapshot,
  type Hashed,
  type SnapshotCaller,
  type SnapshotRow,
  type StoredResponse,
} from './buildSnapshot.ts';
import { type Calling, distinctCallers } from './callers.ts';
import { loadGroupRows, loadPlainGroupRows } from './loadSql.ts';
import type { PushRequest } from './request.ts';
import { keyOf, type PushSnapshot } from './snapshot.ts';

export interface RecordKey {
  businessId: string;
  scope: 'push' | 'batch';
  key: string;
}

interface PushOfBusiness {
  businessId: string;
  request: PushRequest;
}

export interface HeldNumber {
  businessId: string;
  number: string;
}

export interface LoadedGroup {
  snapshot: PushSnapshot;
  /** Stored responses that have not expired, by business, scope and key. */
  records: Map<string, StoredResponse>;
  /** Whether expired responses are stored under some of the keys, which new ones will overwrite. */
  hasExpired: boolean;
}

/** Loads the snapshot for these pushes. `heldNumbers` are the current numbers of their recipients. */
export async function loadGroup(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  pushes: PushOfBusiness[],
  heldNumbers: HeldNumber[],
  rows: typeof loadGroupRows = loadGroupRows,
): Promise<LoadedGroup> {
  const emails = emailsOf(pushes, hash);
  const changing = new Set(
    pushes
      .filter(changesRecipient)
      .map(({ businessId, request }) => keyOf(businessId, request.recipientEmail)),
  );
  const numbers = distinct([
    ...heldNumbers.map(({ businessId, number }) => ({ businessId, text: number })),
    ...pushes.flatMap(({ businessId, request }) =>
      request.phone ? [{ businessId, text: request.phone.number }] : [],
    ),
  ]);
  const numberHashes = numbers.map(({ businessId, text }) => ({
    businessId,
    text,
    hex: hash.hex('phone', text),
  }));
  const [row] = await rows(
    tx,
    now,
    earlier(now, HOUR),
    keysJson(keys),
    businessesOf(pushes),
    [...new Set(pushes.filter(({ request }) => mayPay(request)).map(({ businessId }) => businessId))],
    peopleJson(emails, changing),
    JSON.stringify(
      numberHashes.map(({ businessId, text, hex }) => ({
        business_id: businessId,
        number: text,
        number_hash: `\\x${hex}`,
      })),
    ),
    JSON.stringify(
      pushes
        .filter(({ request }) => request.kind === 'updateable')
        .map(({ businessId, request }) => ({
          business_id: businessId,
          email: request.recipientEmail,
          subject: request.subject,
        })),
    ),
    JSON.stringify(
      pushes.flatMap(({ businessId, request }) =>
        request.obsoletes.map((id) => ({ business_id: businessId, id })),
      ),
    ),
  );
  if (!row) throw new Error('loadGroupRows returned no row');
  return { snapshot: buildSnapshot(row, emails, numberHashes, now), ...storedResponses(row.records ?? []) };
}

interface LoadedPlainGroup extends Pick<LoadedGroup, 'records'> {
  callers: SnapshotCaller[];
  heldNumbers: HeldNumber[];
  /**
   * Builds the snapshot; null if a recipient is not plain and the group needs `loadGroup`. A function, since a group of
   * replays needs no snapshot.
   */
  buildGroup: (() => LoadedGroup) | null;
}

/**
 * The same for pushes that change no number or consent and touch no other message. It suffices if the recipients are plain:
 * a recipient who has or had a number, consent or a stop needs `loadGroup`.
 */
export async function loadPlainGroup(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  pushes: PushOfBusiness[],
  callings: readonly Calling[],
): Promise<LoadedPlainGroup> {
  const emails = emailsOf(pushes, hash);
  const [row] = await loadPlainGroupRows(
    tx,
    now,
    keysJson(keys),
    businessesOf(pushes),
    peopleJson(emails, NOBODY),
    ...distinctCallers(callings),
    keys.length,
  );
  if (!row) throw new Error('loadPlainGroupRows returned no row');
  const people = row.people ?? [];
  const heldNumbers = people.flatMap(({ business_id: businessId, phone: number }) =>
    number === null ? [] : [{ businessId, number }],
  );
  const responses = storedResponses(row.records ?? []);
  const buildGroup = (): LoadedGroup => {
    const snapshot = buildSnapshot({ ...NOT_LOADED, ...row }, emails, [], now);
    for (const { business_id, id, email, language } of people)
      snapshot.recipients.set(keyOf(business_id, email), {
        ...newRecipient(id, email),
        language,
        unsubscribed: false,
        paidLastHour: 0,
      });
    return { snapshot, ...responses };
  };
  return {
    callers: row.callers ?? [],
    records: responses.records,
    heldNumbers,
    buildGroup: people.every(({ plain }) => plain) ? buildGroup : null,
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
  distinct(pushes.map(({ businessId, request }) => ({ businessId, text: request.recipientEmail }))).map(
    ({ businessId, text }) => ({ businessId, text, hex: hash.hex('email', text) }),
  );

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

const keysJson = (keys: readonly RecordKey[]): string =>
  JSON.stringify(
    Array.from(groupBy(keys, businessOf), ([business_id, its]) =>
      (['push', 'batch'] as const).flatMap((scope) => {
        const ofScope = its.filter((key) => key.scope === scope).map(({ key }) => key);
        return ofScope.length === 0 ? [] : [{ business_id, scope, keys: ofScope }];
      }),
    ).flat(),
  );

const businessOf = ({ businessId }: { businessId: string }): string => businessId;

const businessesOf = (pushes: readonly PushOfBusiness[]): string[] => [
  ...new Set(pushes.map(({ businessId }) => businessId)),
];

const storedResponses = (
  records: NonNullable<SnapshotRow['records']>,
): Pick<LoadedGroup, 'records' | 'hasExpired'> => ({
  records: recordsByKey(records.filter(({ expired }) => !expired)),
  hasExpired: records.some(({ expired }) => expired),
});

export const recordsByKey = (records: readonly StoredResponse[]): Map<string, StoredResponse> =>
  new Map(records.map((record) => [keyOf(record.business_id, record.scope, record.key), record]));

const changesRecipient = ({ request }: PushOfBusiness): boolean =>
  request.phone !== null || request.whatsappOptIn !== null || request.language !== null;

/** Whether the request can reserve credits, so that the account is locked. The SQL adds accounts with a channel `on`. */
const mayPay = (request: PushRequest): boolean =>
  request.smsIfWhatsappFails || (request.channels ?? []).some((channel) => channel !== 'email');

function distinct(items: { businessId: string; text: string }[]): { businessId: string; text: string }[] {
  return [...new Map(items.map((item) => [keyOf(item.businessId, item.text), item])).values()];
}
