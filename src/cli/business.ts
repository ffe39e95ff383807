import { readFile } from 'node:fs/promises';
import { OPERATOR } from '../businesses/audit.ts';
import { createBusiness } from '../businesses/create.ts';
import { logoFrom, removeLogo, setLogo } from '../businesses/logo/logo.ts';
import { MAX_CREDITS_PER_MESSAGE } from '../businesses/prices.ts';
import { effectivePlan, PLANS, REPLY_ACKS, REPLY_FORWARDS } from '../businesses/settings.ts';
import { listSettings } from '../businesses/sql.ts';
import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../config/limits.ts';
import { channels, MODES } from '../contract/channels.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { notifyChannel } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { sandboxOn } from '../environment/config.ts';
import { notifyOfEvents } from '../events/sql.ts';
import { OperatorError } from '../kit/errors.ts';
import {
  bool,
  businessName,
  colour,
  count,
  countries,
  email,
  line,
  moment,
  oneOf,
  orNone,
  type ParseValue,
  shown,
  someOf,
  webAddress,
} from '../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../language/languages.ts';
import { quietHours } from '../nudges/quietHours.ts';
import { NUDGING_STATUSES } from '../orders/trackingStatus.ts';
import { changeShop, rebuildShopUsage } from '../pages/operator/shops/actions.ts';
import { businessReport, requireBusiness } from './businessView.ts';
import { BUSINESS_ID, command, databaseCommand, flag, requiredFlag } from './command.ts';
import { facts, factsReport, listReport, SAVE_KEY } from './layout.ts';

const MODE = MODES.join('|');
const SENDER_NAME = 'what recipients see as the sender';
const FORWARDED_TO = 'where forwarded WhatsApp replies go';
const LANGUAGE = `the language of recipients whose own is not known: ${LANGUAGES.join('|')}`;
const COUNTRIES =
  'countries that its paid messages may go to: codes, or all (every country but US and CA); the shop may narrow them';

const businessCreate = databaseCommand({
  path: 'business create',
  about: 'Creates a business and its first API key',
  flags: {
    name: requiredFlag('NAME', SENDER_NAME, businessName),
    credits: flag('N', 'initial message credits; default 0', count(0)),
    sms: flag('MODE', `${MODE}; default on_request`, oneOf(MODES)),
    whatsapp: flag('MODE', `${MODE}; default on_request`, oneOf(MODES)),
    countries: flag('EE,FI,GB', COUNTRIES, countries),
    'contact-email': flag('EMAIL', FORWARDED_TO, email),
    language: flag('TAG', `${LANGUAGE}; default ${DEFAULT_LANGUAGE}`, oneOf(LANGUAGES)),
  },
  async run(given, { pool, clock }) {
    const { businessId, apiKey } = await createBusiness(pool, clock, {
      name: given.name,
      credits: given.credits ?? 0,
      smsMode: given.sms ?? 'on_request',
      whatsappMode: given.whatsapp ?? 'on_request',
      countries: given.countries ?? null,
      contactEmail: given['contact-email'] ?? null,
      language: given.language ?? DEFAULT_LANGUAGE,
    });
    return factsReport({ business_id: businessId, api_key: apiKey }, SAVE_KEY);
  },
});

const businessList = databaseCommand({
  path: 'business list',
  about: 'Lists the businesses, newest first',
  async run(_given, { pool, clock }) {
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
    return listReport(heading, items, 'There are no businesses yet.');
  },
});

const businessShow = databaseCommand({
  path: 'business show',
  about: 'Shows the settings, credits, counters, keys and endpoints of a business',
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, { pool, clock }) {
    return businessReport(pool, businessId, clock.now());
  },
});

const PATH_LENGTH_MAX = 4_096;
const limit = orNone(count(0));
const quietHoursOrOff: ParseValue<string | null> = (text, called) =>
  text === 'off' ? null : quietHours(text, called);

const businessSet = command({
  path: 'business set',
  about: 'Changes settings of a business; they apply at once, on every node',
  arguments: { ID: BUSINESS_ID },
  flags: {
    sms: flag('MODE', MODE, oneOf(MODES)),
    whatsapp: flag('MODE', MODE, oneOf(MODES)),
    countries: flag('EE,FI,GB', COUNTRIES, countries),
    paused: flag('BOOL', 'true stops all sending until it is set to false', bool),
    active: flag('BOOL', 'false deactivates the business: its keys are refused', bool),
    plan: flag('PLAN', `${PLANS.join('|')}; past_due lapses at the end of the period`, oneOf(PLANS)),
    'period-end': flag(
      'TIME',
      'end of the paid period, or none; a later one starts a new period',
      orNone(moment),
    ),
    'email-allowance': flag('N', 'emails included in a period, or none', limit),
    'daily-email-cap': flag('N', 'the most emails per day, or none', limit),
    'low-balance-threshold': flag('N', 'credits below which the merchant gets an event', count(0)),
    warmup: flag('BOOL', 'true limits SMS per day in the first two weeks after SMS is enabled', bool),
    'reply-forward': flag(
      'HOW',
      `${REPLY_FORWARDS.join('|')}: how WhatsApp replies are forwarded to the contact`,
      oneOf(REPLY_FORWARDS),
    ),
    name: flag('NAME', SENDER_NAME, businessName),
    contact: flag('EMAIL', `${FORWARDED_TO}, or none`, orNone(email)),
    colour: flag('HEX', "the business's colour in emails and the inbox as #RRGGBB, or none", orNone(colour)),
    language: flag('TAG', LANGUAGE, oneOf(LANGUAGES)),
    'contact-email': flag('EMAIL', 'the same as --contact', orNone(email)),
    'support-email': flag('EMAIL', 'where customers write to; the inbox shows it, or none', orNone(email)),
    'shop-url': flag('URL', "the shop's website; the inbox shows it, or none", orNone(webAddress)),
    logo: flag('FILE', 'a PNG or JPEG image of at most 256 KiB, or none', orNone(line(PATH_LENGTH_MAX))),
    'paid-per-recipient-hour': flag(
      'N',
      'the most SMS and WhatsApp messages per hour to one recipient, or none; the shop may set less',
      orNone(count(1)),
    ),
    'quiet-hours': flag(
      '21:00-08:00',
      "from when to when its texts and WhatsApp messages wait, in the number's country, or off",
      quietHoursOrOff,
    ),
    'quiet-hours-except': flag(
      'LIST',
      'the order statuses whose messages do not wait, or none',
      someOf(ORDER_STATUSES),
    ),
    'reply-ack': flag(
      'MODE',
      `${REPLY_ACKS.join('|')}: whether WhatsApp replies are acknowledged automatically`,
      oneOf(REPLY_ACKS),
    ),
    'reply-ack-credits': flag(
      'N',
      'the credits that an acknowledgement costs; 0: none',
      count(0, MAX_CREDITS_PER_MESSAGE),
    ),
    'tracking-nudges': flag(
      'LIST',
      'the tracking statuses that make a message, or none',
      someOf(NUDGING_STATUSES),
    ),
    'tracking-channels': flag(
      'LIST',
      `their channels: ${channels.join(',')}; none: only email`,
      someOf(channels),
    ),
    'tracking-escalate-minutes': flag(
      'N',
      'the unread minutes after which their paid messages go, or none: at once',
      orNone(count(ESCALATE_MIN_MINUTES, ESCALATE_MAX_MINUTES)),
    ),
  },
  async run({ ID: businessId, logo: file, ...given }, cli) {
    const change = present({
      smsMode: given.sms,
      whatsappMode: given.whatsapp,
      countriesCeiling: given.countries,
      paused: given.paused,
      active: given.active,
      plan: given.plan,
      periodEnd: given['period-end'],
      emailAllowance: given['email-allowance'],
      dailyEmailCap: given['daily-email-cap'],
      lowBalanceThreshold: given['low-balance-threshold'],
      warmup: given.warmup,
      replyForward: given['reply-forward'],
      replyAck: given['reply-ack'],
      replyAckCredits: given['reply-ack-credits'],
      name: given.name,
      contactEmail: given.contact ?? given['contact-email'],
      supportEmail: given['support-email'],
      shopUrl: given['shop-url'],
      language: given.language,
      colour: given.colour,
      paidPerRecipientHourCeiling: given['paid-per-recipient-hour'],
      quietHours: given['quiet-hours'],
      quietHoursExcept: given['quiet-hours-except'],
      trackingNudges: given['tracking-nudges'],
      trackingChannels: given['tracking-channels'],
      trackingEscalateMinutes: given['tracking-escalate-minutes'],
    });
    if (Object.keys(change).length === 0 && file === undefined)
      throw new OperatorError('business set needs at least one flag; see business set --help.');
    const logo = file == null ? file : await logoFrom(await readImage(file));
    const { pool, clock } = await cli.open();
    if (logo !== undefined)
      await transaction(pool, (tx) =>
        logo === null
          ? removeLogo(tx, clock.now(), businessId, OPERATOR)
          : setLogo(tx, clock.now(), businessId, logo, OPERATOR),
      );
    const deps = { pool, clock, sandbox: sandboxOn(cli.config) };
    const { deliveries } = await changeShop(deps, { businessId, actor: OPERATOR }, change);
    if (deliveries > 0) await notifyChannel(pool, 'waypost_webhooks');
    // For calls that wait for the events, if it has any.
    await notifyOfEvents(pool, `cli ${businessId}`);
    return businessReport(pool, businessId, clock.now());
  },
});

async function readImage(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw new OperatorError(`The file "${shown(path)}" cannot be read.`);
  }
}

/** Only the given settings: all others stay as they are. */
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

export const usageRecount = databaseCommand({
  path: 'usage recount',
  about: 'Counts the usage of a business anew; up to its last erasure, counters are only raised',
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, { pool, clock }) {
    await requireBusiness(pool, businessId);
    const { changed, ...range } = await rebuildShopUsage({ pool, clock }, { businessId, actor: OPERATOR });
    const shown = { business_id: businessId, ...range, days_changed: changed.length };
    return {
      json: { ...shown, changed },
      text: facts([...Object.entries(shown), ['changed', changed.join(', ') || 'nothing']]),
    };
  },
});
