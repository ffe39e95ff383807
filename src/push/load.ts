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

export interface PushOfBusiness {
  businessId: string;
  request: PushRequest;
}

export interface HeldNumber {
  businessId: string;
  number: string;
}

export interface LoadedGroup {
  snapshot: PushSnapshot;
  /** Answers already given, by business, scope and key. */
  records: Map<string, StoredResponse>;
  /** Whether there are others that have run out, and whose places new ones will take. */
  hasExpired: boolean;
}

/** Loads what the decisions of these pushes need. `heldNumbers` are the numbers their recipients hold today. */
export async function loadGroup(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: PushOfBusiness[],
  heldNumbers: HeldNumber[],
): Promise<LoadedGroup> {
  const emails = emailsOf(asking, hash);
  const changing = new Set(
    asking
      .filter(changesRecipient)
      .map(({ businessId, request }) => keyOf(businessId, request.recipientEmail)),
  );
  const numbers = distinct([
    ...heldNumbers.map(({ businessId, number }) => ({ businessId, text: number })),
    ...asking.flatMap(({ businessId, request }) =>
      request.phone ? [{ businessId, text: request.phone.number }] : [],
    ),
  ]);
  const numberHashes = numbers.map(({ businessId, text }) => ({
    businessId,
    text,
    hex: hash.hex('phone', text),
  }));
  const [row] = await loadGroupRows(
    tx,
    now,
    earlier(now, HOUR),
    keysJson(keys),
    businessesOf(asking),
    [...new Set(asking.filter(({ request }) => mayPay(request)).map(({ businessId }) => businessId))],
    peopleJson(emails, changing),
    JSON.stringify(
      numberHashes.map(({ businessId, text, hex }) => ({
        business_id: businessId,
        number: text,
        number_hash: `\\x${hex}`,
      })),
    ),
    JSON.stringify(
      asking
        .filter(({ request }) => request.kind === 'updateable')
        .map(({ businessId, request }) => ({
          business_id: businessId,
          email: request.recipientEmail,
          subject: request.subject,
        })),
    ),
    JSON.stringify(
      asking.flatMap(({ businessId, request }) =>
        request.obsoletes.map((id) => ({ business_id: businessId, id })),
      ),
    ),
  );
  if (!row) throw new Error('the list could not be loaded');
  return { snapshot: buildSnapshot(row, emails, numberHashes, now), ...answersIn(row.records ?? []) };
}

export interface LoadedPlainGroup extends Pick<LoadedGroup, 'records'> {
  callers: SnapshotCaller[];
  heldNumbers: HeldNumber[];
  /**
   * All that the decisions need, unless there is more to know of somebody. Put together only for those who decide anything:
   * where all was answered before, nobody does.
   */
  buildGroup: (() => LoadedGroup) | null;
}

/**
 * The same for pushes that change nobody's number or consent and touch no other message, to people of whom nothing is known
 * but their address. Who turns out to have or to have had a number needs the whole.
 */
export async function loadPlainGroup(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: PushOfBusiness[],
  callings: readonly Calling[],
): Promise<LoadedPlainGroup> {
  const emails = emailsOf(asking, hash);
  const [row] = await loadPlainGroupRows(
    tx,
    now,
    keysJson(keys),
    businessesOf(asking),
    peopleJson(emails, NOBODY),
    ...distinctCallers(callings),
    keys.length,
  );
  if (!row) throw new Error('the list could not be loaded');
  const people = row.people ?? [];
  const heldNumbers = people.flatMap(({ business_id: businessId, phone: number }) =>
    number === null ? [] : [{ businessId, number }],
  );
  const answers = answersIn(row.records ?? []);
  const buildGroup = (): LoadedGroup => {
    const snapshot = buildSnapshot({ ...NOTHING_ELSE, ...row }, emails, [], now);
    for (const { business_id, id, email } of people)
      snapshot.recipients.set(keyOf(business_id, email), {
        ...newRecipient(id, email),
        unsubscribed: false,
        paidLastHour: 0,
      });
    return { snapshot, ...answers };
  };
  return {
    callers: row.callers ?? [],
    records: answers.records,
    heldNumbers,
    buildGroup: people.every(({ plain }) => plain) ? buildGroup : null,
  };
}

const NOTHING_ELSE = {
  recipients: null,
  holders: null,
  stops: null,
  unreachable: null,
  messages: null,
  waiting: null,
  prices: null,
  in_review: null,
} as const satisfies Partial<SnapshotRow>;

const emailsOf = (asking: readonly PushOfBusiness[], hash: Hasher): Hashed[] =>
  distinct(asking.map(({ businessId, request }) => ({ businessId, text: request.recipientEmail }))).map(
    ({ businessId, text }) => ({ businessId, text, hex: hash.hex('email', text) }),
  );

const NOBODY: ReadonlySet<string> = new Set();

/** An index is asked for many keys at once where they differ only in their last column: lists go by business. */
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

const businessesOf = (asking: readonly PushOfBusiness[]): string[] => [
  ...new Set(asking.map(({ businessId }) => businessId)),
];

const answersIn = (
  records: NonNullable<SnapshotRow['records']>,
): Pick<LoadedGroup, 'records' | 'hasExpired'> => ({
  records: recordsByKey(records.filter(({ expired }) => !expired)),
  hasExpired: records.some(({ expired }) => expired),
});

export const recordsByKey = (records: readonly StoredResponse[]): Map<string, StoredResponse> =>
  new Map(records.map((record) => [keyOf(record.business_id, record.scope, record.key), record]));

const changesRecipient = ({ request }: PushOfBusiness): boolean =>
  request.phone !== null || request.whatsappOptIn !== null;

/** The account is locked only for pushes that may set credits aside (an account with a channel `on` always may). */
const mayPay = (request: PushRequest): boolean =>
  request.smsIfWhatsappFails || (request.channels ?? []).some((channel) => channel !== 'email');

function distinct(items: { businessId: string; text: string }[]): { businessId: string; text: string }[] {
  return [...new Map(items.map((item) => [keyOf(item.businessId, item.text), item])).values()];
}
