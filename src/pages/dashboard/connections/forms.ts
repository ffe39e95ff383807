import { ENDPOINT_URL_MAX, ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../../../config/limits.ts';
import type { Connection, Credentials } from '../../../connections/connections.ts';
import type { ConnectionKind, StoreKind } from '../../../connections/kinds/kind.ts';
import { needsOf } from '../../../connections/needs.ts';
import {
  CONNECTION_NAME_MAX,
  CONSENT_FIELD_MAX,
  type ConnectionSettings,
  PHONE_USES,
} from '../../../connections/settings.ts';
import { parseStoreUrl } from '../../../connections/storeUrl.ts';
import { paidChannels } from '../../../contract/channels.ts';
import { knownStatus, ORDER_STATUSES, type OrderStatus } from '../../../contract/orderStatuses.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { parseCount } from '../../../kit/wholeNumber.ts';
import type { AllowList } from '../../../webhooks/publicAddress.ts';
import { choiceField, type FieldSpec, lineField, type RefusedForm, readForm } from '../../kit/typedForm.ts';

/* What is typed into the forms of a connection. */

/** As on the command line. */
export const SECRET_MAX = 255;

const storeUrlField = (allowHosts: AllowList): FieldSpec<string | null> => ({
  max: ENDPOINT_URL_MAX,
  wrong: '',
  parse(text) {
    if (text === '') return null;
    const parsed = parseStoreUrl(text, allowHosts);
    if (!parsed.ok) throw new OperatorError(parsed.fault);
    return parsed.url;
  },
});

const reachForm = (allowHosts: AllowList) => ({
  name: lineField(CONNECTION_NAME_MAX),
  store_url: storeUrlField(allowHosts),
  key: lineField(SECRET_MAX),
  key_secret: lineField(SECRET_MAX),
  secret: lineField(SECRET_MAX),
});

/** What a connection is called and how we reach the other side. */
export interface Reach {
  name: string | null;
  storeUrl: string | null;
  /** Null: none were typed. */
  credentials: Credentials | null;
  secret: string | null;
}

/** `values` null: something is wrong. `before`: what the connection has already. */
export function readReach(
  form: URLSearchParams,
  kind: ConnectionKind,
  allowHosts: AllowList,
  before: Pick<Connection, 'hasCredentials'> = { hasCredentials: false },
): RefusedForm & { values: Reach | null } {
  const { values: typedIn, typed: all, faults } = readForm(form, reachForm(allowHosts));
  // A secret is not shown again, not even to the member who typed it.
  const { key: _key, key_secret: _keySecret, secret: _secret, ...typed } = all;
  if (typedIn === null) return { typed, faults, values: null };
  const { name, store_url: storeUrl, key, key_secret: keySecret, secret } = typedIn;
  const wants = needsOf(kind);
  const wrong: Record<string, string> = {};
  if (wants.store === 'required' && storeUrl === null) wrong.store_url = 'Where is the store? It is needed.';
  if (wants.credentials === 'consumer_key' && (key === '') !== (keySecret === ''))
    wrong[key === '' ? 'key' : 'key_secret'] = 'The key and its secret belong together.';
  if (wants.credentials === 'consumer_key' && storeUrl === null && (key !== '' || before.hasCredentials))
    wrong.store_url = 'The key is for reading the store: where is it?';
  if (Object.keys(wrong).length > 0) return { typed, faults: wrong, values: null };
  return {
    typed,
    faults: {},
    values: {
      name: orNull(name),
      storeUrl,
      credentials: key === '' || wants.credentials === 'none' ? null : { key, secret: keySecret },
      secret: orNull(secret),
    },
  };
}

const orNull = (text: string): string | null => (text === '' ? null : text);

const PHONE_FORM = {
  escalate_minutes: {
    max: 20,
    wrong: `A whole number from ${ESCALATE_MIN_MINUTES} to ${ESCALATE_MAX_MINUTES}, or nothing.`,
    parse: (text: string) =>
      text === '' ? null : (parseCount(text, ESCALATE_MIN_MINUTES, ESCALATE_MAX_MINUTES) ?? undefined),
  },
  phone_use: choiceField(PHONE_USES, 'Choose one of the list.', 'never'),
  consent_field: lineField(CONSENT_FIELD_MAX),
};

/** The table of statuses with what stands below it. `words`: its rows; a row that the form lacks stays as it is. */
export function readSettingsForm(
  form: URLSearchParams,
  kind: StoreKind,
  words: readonly string[],
  before: ConnectionSettings,
): RefusedForm & { values: ConnectionSettings | null } {
  const { values, typed, faults } = readForm(form, PHONE_FORM);
  if (values === null) return { typed, faults, values: null };
  const { escalate_minutes: escalateMinutes, phone_use: phone, consent_field: consentField } = values;
  if (phone === 'if_consented' && consentField === '') {
    const fault = 'Name the field whose value permits SMS.';
    return { typed, faults: { consent_field: fault }, values: null };
  }
  const statuses = toldIn(form, kind, words, before);
  const channels = channelsIn(form, before);
  return {
    typed,
    faults,
    values: { statuses, channels, escalateMinutes, phone, consentField: orNull(consentField) },
  };
}

/** The form has its rows in pairs, since a store's word could be any name of a field. What is as the kind has it is not stored. */
function toldIn(
  form: URLSearchParams,
  kind: StoreKind,
  words: readonly string[],
  before: ConnectionSettings,
): ConnectionSettings['statuses'] {
  const told = form.getAll('told');
  const chosen = new Map(
    form.getAll('word').map((word, row) => [word, knownStatus(told[row] ?? '')] as const),
  );
  const entries = words.flatMap((word): [string, OrderStatus | null][] => {
    const status = chosen.get(word);
    if (status === undefined)
      return Object.hasOwn(before.statuses, word) ? [[word, before.statuses[word] ?? null]] : [];
    const byDefault = Object.hasOwn(kind.statuses, word) ? (kind.statuses[word] ?? null) : null;
    return status === byDefault ? [] : [[word, status]];
  });
  return Object.fromEntries(entries);
}

/** Only the statuses that the form offers are changed by it. */
function channelsIn(form: URLSearchParams, before: ConnectionSettings): ConnectionSettings['channels'] {
  const offered = form.getAll('channels_of');
  return Object.fromEntries(
    ORDER_STATUSES.flatMap((status) => {
      const ticked = form.getAll(`channels_${status}`);
      const chosen = offered.includes(status)
        ? paidChannels.filter((channel) => ticked.includes(channel))
        : (before.channels[status] ?? []);
      return chosen.length === 0 ? [] : [[status, chosen] as const];
    }),
  );
}
