import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../config/limits.ts';
import { type PaidChannel, paidChannels } from '../contract/channels.ts';
import { knownStatus, type OrderStatus } from '../contract/orderStatuses.ts';
import { isObject } from '../kit/json.ts';

/** What a shop has chosen for a connection. What it has not chosen is not stored. */
export interface ConnectionSettings {
  /** By the store's own word; null: nothing is told. Those not named are as their kind has them. */
  statuses: Readonly<Record<string, OrderStatus | null>>;
  /** The paid channels of the messages with an order status; none: email only. */
  channels: Readonly<Partial<Record<OrderStatus, readonly PaidChannel[]>>>;
  escalateMinutes: number | null;
  /** Whether the number in an order may be texted. */
  phone: PhoneUse;
  /** The store's field that permits texts. */
  consentField: string | null;
}

export const PHONE_USES = ['never', 'if_consented'] as const;
export type PhoneUse = (typeof PHONE_USES)[number];
export const CONNECTION_STATUSES = ['watching', 'live', 'off'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

export const CONNECTION_NAME_MAX = 60;
export const STORE_STATUS_MAX = 60;
export const CONSENT_FIELD_MAX = 100;
/** Of the store's own statuses in a table. */
export const STORE_STATUSES_MAX = 100;

export const DEFAULT_SETTINGS: ConnectionSettings = {
  statuses: {},
  channels: {},
  escalateMinutes: null,
  phone: 'never',
  consentField: null,
};

/** From the database, whose JSON an older or newer version may have written. */
export function settingsFrom(stored: unknown): ConnectionSettings {
  if (!isObject(stored)) return DEFAULT_SETTINGS;
  const { statuses, channels, escalateMinutes, phone, consentField } = stored;
  return {
    statuses: entriesOf(statuses, (status, word) => {
      if (status === null) return [word, null];
      const known = typeof status === 'string' ? knownStatus(status) : null;
      return known === null ? null : [word, known];
    }),
    channels: entriesOf(channels, (list, word) => {
      const status = knownStatus(word);
      if (status === null || !Array.isArray(list)) return null;
      return [status, paidChannels.filter((channel) => list.includes(channel))];
    }),
    escalateMinutes: isEscalation(escalateMinutes) ? escalateMinutes : null,
    phone: PHONE_USES.find((use) => use === phone) ?? 'never',
    consentField: typeof consentField === 'string' && consentField !== '' ? consentField : null,
  };
}

function entriesOf<Name extends string, Value>(
  stored: unknown,
  read: (value: unknown, name: string) => [Name, Value] | null,
): Record<Name, Value>;
function entriesOf(stored: unknown, read: (value: unknown, name: string) => [string, unknown] | null) {
  const entries = isObject(stored) ? Object.entries(stored) : [];
  return Object.fromEntries(entries.flatMap(([name, value]) => [read(value, name) ?? []].filter(isEntry)));
}

const isEntry = (entry: readonly unknown[]): boolean => entry.length === 2;

const isEscalation = (minutes: unknown): minutes is number =>
  Number.isInteger(minutes) &&
  Number(minutes) >= ESCALATE_MIN_MINUTES &&
  Number(minutes) <= ESCALATE_MAX_MINUTES;

/** What a status of the store tells; null: nothing. A status that nobody has named tells nothing. */
export function statusToldFor(
  defaults: Readonly<Record<string, OrderStatus | null>>,
  { statuses }: Pick<ConnectionSettings, 'statuses'>,
  word: string,
): OrderStatus | null {
  if (Object.hasOwn(statuses, word)) return statuses[word] ?? null;
  return Object.hasOwn(defaults, word) ? (defaults[word] ?? null) : null;
}
