import { readFile } from 'node:fs/promises';
import { OPERATOR } from '../businesses/audit.ts';
import { createBusiness } from '../businesses/create.ts';
import { logoFrom, removeLogo, setLogo } from '../businesses/logo/logo.ts';
import { effectivePlan, PLANS, REPLY_FORWARDS, type SettingsChange } from '../businesses/settings.ts';
import { listSettings } from '../businesses/sql.ts';
import { sandboxOn } from '../config/config.ts';
import { MODES } from '../contract/channels.ts';
import { notifyChannel } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { notifyOfEvents } from '../events/sql.ts';
import { OperatorError } from '../kit/errors.ts';
import {
  bool,
  businessName,
  colour,
  count,
  countries,
  email,
  id,
  line,
  moment,
  oneOf,
  orNone,
  shown,
} from '../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../language/languages.ts';
import { changeShop } from '../pages/operator/shops/actions.ts';
import { businessReport } from './businessView.ts';
import { type CommandInput, command } from './command.ts';
import { facts, table } from './layout.ts';

const MODE = MODES.join('|');
const BUSINESS = 'the id of the business';
const LANGUAGE = `the language of recipients whose own is not known: ${LANGUAGES.join('|')}`;
const COUNTRIES =
  'countries that its paid messages may go to: codes, or all (every country but US and CA); the shop may narrow them';

const businessCreate = command({
  path: 'business create',
  about: 'Creates a business and its first API key',
  arguments: {},
  flags: {
    name: { value: 'NAME', about: 'what recipients see as the sender', required: true },
    credits: { value: 'N', about: 'initial message credits; default 0' },
    sms: { value: 'MODE', about: `${MODE}; default on_request` },
    whatsapp: { value: 'MODE', about: `${MODE}; default on_request` },
    countries: { value: 'EE,FI,GB', about: COUNTRIES },
    'contact-email': { value: 'EMAIL', about: 'where forwarded WhatsApp replies go' },
    language: { value: 'TAG', about: `${LANGUAGE}; default ${DEFAULT_LANGUAGE}` },
  },
  async run(input, cli) {
    const asked = {
      name: input.required('name', businessName),
      credits: input.flag('credits', count(0)) ?? 0,
      smsMode: input.flag('sms', oneOf(MODES)) ?? 'on_request',
      whatsappMode: input.flag('whatsapp', oneOf(MODES)) ?? 'on_request',
      countries: input.flag('countries', countries) ?? null,
      contactEmail: input.flag('contact-email', email) ?? null,
      language: input.flag('language', oneOf(LANGUAGES)) ?? DEFAULT_LANGUAGE,
    };
    const { pool, clock } = await cli.open();
    const { businessId, apiKey } = await createBusiness(pool, clock, asked);
    return {
      json: { business_id: businessId, api_key: apiKey },
      text: `${facts([
        ['business_id', businessId],
        ['api_key', apiKey],
      ])}\n\nSave the key now: it is shown only once.`,
    };
  },
});

const businessList = command({
  path: 'business list',
  about: 'Lists the businesses, newest first',
  arguments: {},
  flags: {},
  async run(_input, cli) {
    const { pool, clock } = await cli.open();
    const items = (await listSettings(pool)).map((business) => ({
      business_id: business.id,
      name: business.name,
      active: business.active,
      paused: business.paused,
      plan: effectivePlan(business, clock.now()),
      sms: business.smsMode,
      whatsapp: business.whatsappMode,
      balance: business.balance,
      created_at: business.createdAt,
    }));
    const heading = ['business', 'name', 'active', 'paused', 'plan', 'sms', 'whatsapp', 'balance', 'created'];
    return {
      json: { items },
      text: table(
        heading,
        items.map((item) => Object.values(item)),
        'There are no businesses yet.',
      ),
    };
  },
});

const businessShow = command({
  path: 'business show',
  about: 'Shows the settings, credits, counters, keys and endpoints of a business',
  arguments: { ID: BUSINESS },
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const { pool, clock } = await cli.open();
    return businessReport(pool, businessId, clock.now());
  },
});

const SETTINGS = {
  sms: { value: 'MODE', about: MODE },
  whatsapp: { value: 'MODE', about: MODE },
  countries: { value: 'EE,FI,GB', about: COUNTRIES },
  paused: { value: 'BOOL', about: 'true stops all sending until it is set to false' },
  active: { value: 'BOOL', about: 'false deactivates the business: its keys are refused' },
  plan: { value: 'PLAN', about: `${PLANS.join('|')}; past_due lapses at the end of the period` },
  'period-end': { value: 'TIME', about: 'end of the paid period, or none; a later one starts a new period' },
  'email-allowance': { value: 'N', about: 'emails included in a period, or none' },
  'daily-email-cap': { value: 'N', about: 'the most emails per day, or none' },
  'low-balance-threshold': { value: 'N', about: 'credits below which the merchant gets an event' },
  warmup: { value: 'BOOL', about: 'true limits texts per day in the first two weeks after SMS is enabled' },
  'reply-forward': {
    value: 'HOW',
    about: `${REPLY_FORWARDS.join('|')}: how WhatsApp replies are forwarded to the contact`,
  },
  name: { value: 'NAME', about: 'what recipients see as the sender' },
  contact: { value: 'EMAIL', about: 'where forwarded WhatsApp replies go, or none' },
  colour: { value: 'HEX', about: "the business's colour in emails and the inbox as #RRGGBB, or none" },
  language: { value: 'TAG', about: LANGUAGE },
  'contact-email': { value: 'EMAIL', about: 'the same as --contact' },
  logo: { value: 'FILE', about: 'a PNG or JPEG image of at most 256 KiB, or none' },
  'paid-per-recipient-hour': {
    value: 'N',
    about: 'the most texts and WhatsApp messages per hour to one recipient, or none; the shop may set less',
  },
} as const;

const businessSet = command({
  path: 'business set',
  about: 'Changes settings of a business; they apply at once, on every node',
  arguments: { ID: BUSINESS },
  flags: SETTINGS,
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const change = readChange(input);
    const file = input.flag('logo', orNone(line(PATH_LENGTH_MAX)));
    if (Object.keys(change).length === 0 && file === undefined) {
      throw new OperatorError('business set needs at least one flag; see business set --help.');
    }
    const logo = file === undefined || file === null ? file : await logoFrom(await readImage(file));
    const { pool, clock } = await cli.open();
    if (logo !== undefined)
      await transaction(pool, (tx) =>
        logo === null
          ? removeLogo(tx, clock.now(), businessId, OPERATOR)
          : setLogo(tx, clock.now(), businessId, logo, OPERATOR),
      );
    const { deliveries } = await changeShop(
      { pool, clock, sandbox: sandboxOn(cli.config) },
      { businessId, actor: OPERATOR },
      change,
    );
    if (deliveries > 0) await notifyChannel(pool, 'waypost_webhooks');
    // For calls that wait for the events, if it has any.
    await notifyOfEvents(pool, `cli ${businessId}`);
    return businessReport(pool, businessId, clock.now());
  },
});

const PATH_LENGTH_MAX = 4_096;

async function readImage(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw new OperatorError(`The file "${shown(path)}" cannot be read.`);
  }
}

/** Only the given settings: all others stay as they are. */
function readChange(input: CommandInput<'ID', keyof typeof SETTINGS>): SettingsChange {
  const limit = orNone(count(0));
  return present({
    smsMode: input.flag('sms', oneOf(MODES)),
    whatsappMode: input.flag('whatsapp', oneOf(MODES)),
    countriesCeiling: input.flag('countries', countries),
    paused: input.flag('paused', bool),
    active: input.flag('active', bool),
    plan: input.flag('plan', oneOf(PLANS)),
    periodEnd: input.flag('period-end', orNone(moment)),
    emailAllowance: input.flag('email-allowance', limit),
    dailyEmailCap: input.flag('daily-email-cap', limit),
    lowBalanceThreshold: input.flag('low-balance-threshold', count(0)),
    warmup: input.flag('warmup', bool),
    replyForward: input.flag('reply-forward', oneOf(REPLY_FORWARDS)),
    name: input.flag('name', businessName),
    contactEmail: input.flag('contact', orNone(email)) ?? input.flag('contact-email', orNone(email)),
    language: input.flag('language', oneOf(LANGUAGES)),
    colour: input.flag('colour', orNone(colour)),
    paidPerRecipientHourCeiling: input.flag('paid-per-recipient-hour', orNone(count(1))),
  });
}

/** Drops undefined values, which SettingsChange does not allow. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in values) {
    const value = values[key];
    if (isDefined(value)) kept[key] = value;
  }
  return kept;
}

const isDefined = <T>(value: T): value is Exclude<T, undefined> => value !== undefined;

export const businessCommands = [businessCreate, businessList, businessShow, businessSet];
