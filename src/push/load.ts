import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { type Calling, distinctCallers } from './callers.ts';
import { type Known, keyOf } from './known.ts';
import { type Hashed, knownFrom } from './knownFrom.ts';
import type { LoadedCaller, LoadedRecord, LoadedRow } from './loaded.ts';
import { loadList, loadPlainList } from './loadSql.ts';
import type { PushRequest } from './request.ts';

export interface RecordKey {
  businessId: string;
  scope: 'push' | 'batch';
  key: string;
}

export interface Asking {
  businessId: string;
  request: PushRequest;
}

export interface HeldNumber {
  businessId: string;
  number: string;
}

export interface Loaded {
  known: Known;
  /** Answers already given, by business, scope and key. */
  records: Map<string, LoadedRecord>;
  /** Whether there are others that have run out, and whose places new ones will take. */
  outdated: boolean;
}

/** Loads what the decisions of these pushes need. `heldNumbers` are the numbers their recipients hold today. */
export async function load(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: Asking[],
  heldNumbers: HeldNumber[],
): Promise<Loaded> {
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
    hex: hash('phone', text).toString('hex'),
  }));
  const [row] = await loadList(
    tx,
    now,
    earlier(now, HOUR),
    keysJson(keys),
    businessesOf(asking),
    [...new Set(asking.filter(({ request }) => mayPay(request)).map(({ businessId }) => businessId))],
    JSON.stringify(
      emails.map(({ businessId, text, hex }) => ({
        business_id: businessId,
        email: text,
        email_hash: `\\x${hex}`,
        changes: changing.has(keyOf(businessId, text)),
      })),
    ),
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
  return { known: knownFrom(row, emails, numberHashes, now), ...answersIn(row.records ?? []) };
}

export interface PlainlyLoaded extends Pick<Loaded, 'records'> {
  callers: LoadedCaller[];
  heldNumbers: HeldNumber[];
  /** Put together only for those who decide anything: where all was answered before, nobody does. */
  whole: () => Loaded;
}

/**
 * The same for pushes that change nobody's number or consent and touch no other message, to people without a number. Who
 * turns out to have one needs the whole.
 */
export async function loadPlain(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: Asking[],
  callings: readonly Calling[],
): Promise<PlainlyLoaded> {
  const emails = emailsOf(asking, hash);
  const people = emails.map(({ businessId, text, hex }) => ({
    business_id: businessId,
    email: text,
    email_hash: `\\x${hex}`,
  }));
  const [row] = await loadPlainList(
    tx,
    now,
    keysJson(keys),
    businessesOf(asking),
    JSON.stringify(people),
    ...distinctCallers(callings),
  );
  if (!row) throw new Error('the list could not be loaded');
  const heldNumbers = (row.recipients ?? []).flatMap(({ business_id: businessId, phone: number }) =>
    number === null ? [] : [{ businessId, number }],
  );
  const answers = answersIn(row.records ?? []);
  return {
    callers: row.callers ?? [],
    records: answers.records,
    heldNumbers,
    whole: () => ({ known: knownFrom({ ...NOTHING_ELSE, ...row }, emails, [], now), ...answers }),
  };
}

const NOTHING_ELSE = {
  holders: null,
  stops: null,
  unreachable: null,
  messages: null,
  waiting: null,
  prices: null,
  in_review: [],
} as const satisfies Partial<LoadedRow>;

const emailsOf = (asking: readonly Asking[], hash: Hasher): Hashed[] =>
  distinct(asking.map(({ businessId, request }) => ({ businessId, text: request.recipientEmail }))).map(
    ({ businessId, text }) => ({ businessId, text, hex: hash('email', text).toString('hex') }),
  );

const keysJson = (keys: readonly RecordKey[]): string =>
  JSON.stringify(keys.map(({ businessId, scope, key }) => ({ business_id: businessId, scope, key })));

const businessesOf = (asking: readonly Asking[]): string[] => [
  ...new Set(asking.map(({ businessId }) => businessId)),
];

const answersIn = (records: NonNullable<LoadedRow['records']>): Pick<Loaded, 'records' | 'outdated'> => ({
  records: recordsByKey(records.filter(({ expired }) => !expired)),
  outdated: records.some(({ expired }) => expired),
});

export const recordsByKey = (records: readonly LoadedRecord[]): Map<string, LoadedRecord> =>
  new Map(records.map((record) => [keyOf(record.business_id, record.scope, record.key), record]));

const changesRecipient = ({ request }: Asking): boolean =>
  request.phone !== null || request.whatsappOptIn !== null;

/** The account is locked only for pushes that may set credits aside (an account with a channel `on` always may). */
const mayPay = (request: PushRequest): boolean =>
  request.smsIfWhatsappFails || (request.channels ?? []).some((channel) => channel !== 'email');

function distinct(items: { businessId: string; text: string }[]): { businessId: string; text: string }[] {
  return [...new Map(items.map((item) => [keyOf(item.businessId, item.text), item])).values()];
}
