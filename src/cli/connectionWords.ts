import type { ConnectionKind } from '../connections/kinds/kind.ts';
import { kindOf } from '../connections/kinds.ts';
import { needsOf } from '../connections/needs.ts';
import { type ConnectionSettings, STORE_STATUS_MAX, STORE_STATUSES_MAX } from '../connections/settings.ts';
import { paidChannels } from '../contract/channels.ts';
import { knownStatus, ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { OperatorError } from '../kit/errors.ts';
import { line, type ParseValue, shown, TypedMistake } from '../kit/typedValues.ts';

/* How what a connection is told on the command line becomes its settings. A fault names its flag. */

const CHOICES = ORDER_STATUSES.join(', ');

/** `processing=confirmed,on-hold=`: a store's statuses and ours, or nothing; `default`: all as their kind has them. */
export const statusPairs: ParseValue<ConnectionSettings['statuses']> = (text, called) => {
  if (text === 'default') return {};
  const pairs = pairsOf(text, called, 'processing=confirmed,on-hold= or default');
  if (pairs.length > STORE_STATUSES_MAX)
    throw new OperatorError(`${called} can name at most ${STORE_STATUSES_MAX} statuses.`);
  return uniquely(
    called,
    pairs.map(([word, ours]) => {
      const status = knownStatus(ours);
      if (status === null && ours !== '')
        throw new TypedMistake(called, `pairs of a store’s status and nothing or one of ${CHOICES}`, ours);
      return [line(STORE_STATUS_MAX)(word, `${called}: a status`), status];
    }),
  );
};

/** `shipped=sms+whatsapp`: our statuses and the paid channels of their messages; `none`: email only. */
export const channelPairs: ParseValue<ConnectionSettings['channels']> = (text, called) => {
  if (text === 'none') return {};
  return uniquely(
    called,
    pairsOf(text, called, 'shipped=sms+whatsapp or none').map(([word, list]) => {
      const status = knownStatus(word);
      if (status === null) throw new TypedMistake(called, `pairs of one of ${CHOICES} and channels`, word);
      const named = list.split('+').map((one) => one.trim());
      if (!named.every((one) => paidChannels.some((channel) => channel === one)))
        throw new TypedMistake(called, `pairs of a status and ${paidChannels.join('+')}`, list);
      return [status, paidChannels.filter((channel) => named.includes(channel))];
    }),
  );
};

const pairsOf = (text: string, called: string, example: string): [string, string][] =>
  text.split(',').map((pair) => {
    const between = pair.lastIndexOf('=');
    if (between < 1) throw new TypedMistake(called, `pairs such as ${example}`, text);
    return [pair.slice(0, between).trim(), pair.slice(between + 1).trim()];
  });

function uniquely<Name extends string, Value>(
  called: string,
  pairs: readonly (readonly [Name, Value])[],
): Record<Name, Value>;
function uniquely(called: string, pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new OperatorError(`${called} names "${shown(twice)}" twice.`);
  return Object.fromEntries(pairs);
}

/** As the flags take them. */
export const shownStatuses = ({ statuses }: ConnectionSettings): string[] =>
  Object.entries(statuses).map(([word, status]) => `${word}=${status ?? ''}`);
export const shownChannels = ({ channels }: ConnectionSettings): string[] =>
  Object.entries(channels).map(([status, list]) => `${status}=${list.join('+')}`);

const SECRET_MAX = 255;
export const secret = line(SECRET_MAX);

/** The flags about how we reach a store or a service. */
export interface ReachFlags {
  store?: string | undefined;
  'consumer-key'?: string | undefined;
  'consumer-secret'?: string | undefined;
  'api-key'?: string | undefined;
}

/** `storeUrl` is the one that the connection has. Undefined: the flags name none. */
export function credentialsFrom(kind: ConnectionKind, given: ReachFlags, storeUrl: string | null) {
  const { title } = kindOf(kind);
  const { store, credentials } = needsOf(kind);
  const refuse = (flag: keyof ReachFlags): void => {
    if (given[flag] !== undefined) throw new OperatorError(`--${flag} is not for ${title}.`);
  };
  if (store === 'none') refuse('store');
  if (credentials !== 'api_key') refuse('api-key');
  if (credentials !== 'consumer_key') {
    refuse('consumer-key');
    refuse('consumer-secret');
  }
  const { 'consumer-key': key, 'consumer-secret': keySecret, 'api-key': apiKey } = given;
  if (apiKey !== undefined) return { key: apiKey, secret: '' };
  if (key === undefined && keySecret === undefined) return undefined;
  if (key === undefined) throw new OperatorError('--consumer-secret needs --consumer-key KEY.');
  if (keySecret === undefined) throw new OperatorError('--consumer-key needs --consumer-secret SECRET.');
  if ((given.store ?? storeUrl) === null)
    throw new OperatorError('--consumer-key needs --store URL: it is for reading the store.');
  return { key, secret: keySecret };
}
