import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../../../src/config/limits.ts';
import { knownStatus, ORDER_STATUSES, type OrderStatus } from '../../../src/contract/orderStatuses.ts';
import { at, isObject } from '../../../src/kit/json.ts';
import { isLanguage, type Language } from '../../../src/language/languages.ts';
import type { TextSource } from '../../../src/texts/defaults.ts';
import { checkTextSource } from '../../../src/texts/render.ts';
import { isStoreEvent, STORE_EVENTS, type StoreEvent } from './storeEvents.ts';

export type PaidChannel = 'sms' | 'whatsapp';
export type OwnTexts = Readonly<Partial<Record<OrderStatus, Partial<Record<Language, TextSource>>>>>;

/** How to reach Waypost, and in which words: what the plugin and the provider have in common. */
export interface WordingOptions {
  apiKey: string;
  baseUrl: string;
  /** Of orders without a locale; null: Waypost knows the person's, and our words are English. */
  language: Language | null;
  /** Null: the store's name in Medusa. */
  shopName: string | null;
  texts: OwnTexts;
}

export interface PluginOptions extends WordingOptions {
  /** What each event tells; null: nothing. */
  statuses: Readonly<Record<StoreEvent, OrderStatus | null>>;
  channels: Readonly<Partial<Record<OrderStatus, readonly PaidChannel[]>>>;
  escalateMinutes: number | null;
  phone: 'never' | 'if_consented';
  /** The key of the order's metadata that permits texts. */
  consentField: string | null;
  /** The order's page: `{id}` and `{number}` are filled in. */
  orderUrl: string | null;
  /** The names of carriers, by the id of the fulfilment provider. */
  carriers: Readonly<Record<string, string>>;
}

export interface ProviderOptions extends WordingOptions {
  channels: readonly PaidChannel[];
  /** The order status that a template of the shop tells. */
  templates: Readonly<Record<string, OrderStatus>>;
}

const WORDING_OPTIONS = ['apiKey', 'baseUrl', 'language', 'shopName', 'texts'];
const PLUGIN_OPTIONS = [
  ...WORDING_OPTIONS,
  ...['statuses', 'channels', 'escalateMinutes', 'phone', 'consentField', 'orderUrl', 'carriers'],
];
const PROVIDER_OPTIONS = [...WORDING_OPTIONS, 'templates', 'paidChannels'];

/** A mistake in medusa-config, in a sentence. */
export class OptionsMistake extends Error {
  constructor(says: string) {
    super(`@waypost/medusa: ${says}`);
  }
}

/** Throws an OptionsMistake. */
export function pluginOptions(given: unknown): PluginOptions {
  const options = knownOptions(given, PLUGIN_OPTIONS);
  const { escalateMinutes = null, phone = 'never' } = options;
  if (phone !== 'never' && phone !== 'if_consented')
    throw new OptionsMistake('phone must be never or if_consented');
  const consentField = optionalText(options, 'consentField');
  if (phone === 'if_consented' && consentField === null)
    throw new OptionsMistake(
      'phone: if_consented needs consentField, the key of the order’s metadata that permits texts',
    );
  return {
    ...wordingOptions(options),
    statuses: { ...STORE_EVENTS, ...Object.fromEntries(entries(options, 'statuses').map(toldStatus)) },
    channels: Object.fromEntries(
      entries(options, 'channels').map(([status, list]) => [
        statusOf(status, 'channels'),
        paidChannels(list, `channels.${status}`),
      ]),
    ),
    escalateMinutes: escalateMinutes === null ? null : minutesOf(escalateMinutes),
    phone,
    consentField,
    orderUrl: orderUrlOf(optionalText(options, 'orderUrl')),
    carriers: Object.fromEntries(
      entries(options, 'carriers').map(([id, name]) => [id, textOf(name, `carriers.${id}`)]),
    ),
  };
}

/** Throws an OptionsMistake. */
export function providerOptions(given: unknown): ProviderOptions {
  // Medusa puts the provider's own `channels` and `id` among its options.
  const { channels: _channels, id: _id, ...rest } = isObject(given) ? given : {};
  const options = knownOptions(isObject(given) ? rest : given, PROVIDER_OPTIONS);
  return {
    ...wordingOptions(options),
    channels: paidChannels(options.paidChannels ?? [], 'paidChannels'),
    templates: Object.fromEntries(
      entries(options, 'templates').map(([template, status]) => [
        template,
        statusOf(status, `templates.${template}`),
      ]),
    ),
  };
}

function wordingOptions(options: Record<string, unknown>): WordingOptions {
  const language = optionalText(options, 'language');
  if (language !== null && !isLanguage(language))
    throw new OptionsMistake(`language ${language} is not one of Waypost’s`);
  return {
    apiKey: textOf(options.apiKey, 'apiKey'),
    baseUrl: textOf(options.baseUrl, 'baseUrl'),
    language,
    shopName: optionalText(options, 'shopName'),
    texts: Object.fromEntries(
      entries(options, 'texts').map(([status, byLanguage]) => [
        statusOf(status, 'texts'),
        textsOf(byLanguage, `texts.${status}`),
      ]),
    ),
  };
}

function textsOf(given: unknown, name: string): Partial<Record<Language, TextSource>> {
  if (!isObject(given)) throw new OptionsMistake(`${name} must have a subject and a body for each language`);
  return Object.fromEntries(
    Object.entries(given).map(([language, text]) => {
      if (!isLanguage(language)) throw new OptionsMistake(`${name}: ${language} is no language of Waypost’s`);
      return [language, sourceOf(text, `${name}.${language}`)];
    }),
  );
}

function sourceOf(given: unknown, name: string): TextSource {
  const subject = textOf(at(given, 'subject'), `${name}.subject`);
  const body = textOf(at(given, 'body'), `${name}.body`);
  const [fault] = checkTextSource({ subject, body });
  if (fault !== undefined)
    throw new OptionsMistake(`${name}.${fault.field}, line ${fault.line}: ${fault.message}`);
  return { subject, body };
}

function toldStatus([event, status]: [string, unknown]): [StoreEvent, OrderStatus | null] {
  if (!isStoreEvent(event))
    throw new OptionsMistake(`statuses: ${event} is none of ${Object.keys(STORE_EVENTS).join(', ')}`);
  return [event, status === null ? null : statusOf(status, `statuses.${event}`)];
}

function statusOf(given: unknown, name: string): OrderStatus {
  const status = typeof given === 'string' ? knownStatus(given) : null;
  if (status === null)
    throw new OptionsMistake(`${name}: ${String(given)} is none of ${ORDER_STATUSES.join(', ')}`);
  return status;
}

function paidChannels(given: unknown, name: string): readonly PaidChannel[] {
  const isPaid = (channel: unknown): channel is PaidChannel => channel === 'sms' || channel === 'whatsapp';
  if (!Array.isArray(given) || !given.every(isPaid))
    throw new OptionsMistake(`${name} must be a list of sms and whatsapp`);
  return given;
}

function minutesOf(given: unknown): number {
  if (
    !Number.isInteger(given) ||
    Number(given) < ESCALATE_MIN_MINUTES ||
    Number(given) > ESCALATE_MAX_MINUTES
  )
    throw new OptionsMistake(
      `escalateMinutes must be a whole number from ${ESCALATE_MIN_MINUTES} to ${ESCALATE_MAX_MINUTES}`,
    );
  return Number(given);
}

function orderUrlOf(given: string | null): string | null {
  if (given !== null && !/^https:\/\/\S+$/.test(given))
    throw new OptionsMistake('orderUrl must be an https URL, such as https://shop.example/orders/{id}');
  return given;
}

function knownOptions(given: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isObject(given)) throw new OptionsMistake('options are missing: apiKey and baseUrl at least');
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new OptionsMistake(`there is no option ${unknown}`);
  return given;
}

function entries(options: Record<string, unknown>, name: string): [string, unknown][] {
  const given = options[name] ?? {};
  if (!isObject(given)) throw new OptionsMistake(`${name} must be an object`);
  return Object.entries(given);
}

const optionalText = (options: Record<string, unknown>, name: string): string | null =>
  options[name] === undefined || options[name] === null ? null : textOf(options[name], name);

function textOf(given: unknown, name: string): string {
  if (typeof given !== 'string' || given.trim() === '') throw new OptionsMistake(`${name} must be a text`);
  return given;
}
