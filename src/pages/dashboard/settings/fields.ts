import {
  REPLY_ACKS,
  REPLY_FORWARDS,
  type Settings,
  type SettingsChange,
} from '../../../businesses/settings.ts';
import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../../../config/limits.ts';
import { type Mode, paidChannels } from '../../../contract/channels.ts';
import { ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import { DEFAULT_COLOUR } from '../../../kit/colour.ts';
import {
  businessName,
  colour,
  count,
  countries,
  email,
  oneOf,
  type ParseValue,
  someOf,
  TypedMistake,
  webAddress,
} from '../../../kit/typedValues.ts';
import { LANGUAGES } from '../../../language/languages.ts';
import { quietHours } from '../../../nudges/quietHours.ts';
import { NUDGING_STATUSES } from '../../../orders/trackingStatus.ts';
import { textIn } from '../../kit/request.ts';

/** A setting as a form has it: a text that stands for the value, and the change that a text asks for. */
export interface SettingField {
  shown(settings: Settings): string;
  change(text: string): SettingsChange;
  /** Whether a blank text takes the value away. */
  mayBeBlank?: boolean;
  /** What is wrong with the value that these settings have, by what the operator allows; null: nothing. */
  beyond?(settings: Settings): string | null;
}

/** `not_enabled` is where a channel begins; nothing leads back there. */
export const CHOSEN_MODES = ['on', 'on_request', 'off'] as const satisfies readonly Mode[];

const fieldOf = <Key extends keyof SettingsChange>(
  key: Key,
  parse: ParseValue<Settings[Key]>,
): SettingField => ({
  // Nothing for null, and a list with commas.
  shown: (settings) => [settings[key] ?? []].flat().join(', '),
  change(text) {
    const change: SettingsChange = {};
    change[key] = parse(text, key);
    return change;
  },
});

const orBlank =
  <T>(read: ParseValue<T>): ParseValue<T | null> =>
  (text, called) =>
    text === '' ? null : read(text, called);

/** Ticked boxes, separated by commas. */
const someOrNone =
  <const T extends string>(options: readonly T[]): ParseValue<T[]> =>
  (text, called) =>
    text === '' ? [] : someOf(options)(text, called);

/** What owners change themselves. The rules of the values are those of the command line. */
export const settingFields = {
  name: fieldOf('name', businessName),
  colour: {
    ...fieldOf('colour', (text, called) => (text === DEFAULT_COLOUR ? null : orBlank(colour)(text, called))),
    mayBeBlank: true,
    // A browser's picker knows no blank colour.
    shown: ({ colour: own }) => own ?? DEFAULT_COLOUR,
  },
  language: fieldOf('language', oneOf(LANGUAGES)),
  contact_email: { ...fieldOf('contactEmail', orBlank(email)), mayBeBlank: true },
  support_email: { ...fieldOf('supportEmail', orBlank(email)), mayBeBlank: true },
  shop_url: { ...fieldOf('shopUrl', orBlank(webAddress)), mayBeBlank: true },
  reply_forward: fieldOf('replyForward', oneOf(REPLY_FORWARDS)),
  reply_ack: fieldOf('replyAck', oneOf(REPLY_ACKS)),
  countries: {
    ...fieldOf('ownCountries', orBlank(countries)),
    mayBeBlank: true,
    beyond: ({ countriesCeiling: allowed, ownCountries: own }) =>
      allowed === null || own === null || own.every((country) => allowed.includes(country))
        ? null
        : `The operator allows only ${allowed.join(', ')}.`,
  },
  paid_per_recipient_hour: {
    ...fieldOf('ownPaidPerRecipientHour', orBlank(count(1))),
    mayBeBlank: true,
    beyond: ({ paidPerRecipientHourCeiling: allowed, ownPaidPerRecipientHour: own }) =>
      allowed === null || own === null || own <= allowed ? null : `The operator allows at most ${allowed}.`,
  },
  quiet_hours: { ...fieldOf('quietHours', orBlank(quietHours)), mayBeBlank: true },
  quiet_hours_except: fieldOf('quietHoursExcept', someOrNone(ORDER_STATUSES)),
  sms: fieldOf('smsMode', oneOf(CHOSEN_MODES)),
  whatsapp: fieldOf('whatsappMode', oneOf(CHOSEN_MODES)),
  tracking_nudges: fieldOf('trackingNudges', someOrNone(NUDGING_STATUSES)),
  tracking_channels: {
    ...fieldOf('trackingChannels', someOrNone(paidChannels)),
    // An email goes in any case.
    shown: ({ trackingChannels }) => trackingChannels.filter((channel) => channel !== 'email').join(', '),
  },
  tracking_escalate_minutes: {
    ...fieldOf('trackingEscalateMinutes', orBlank(count(ESCALATE_MIN_MINUTES, ESCALATE_MAX_MINUTES))),
    mayBeBlank: true,
  },
} satisfies Record<string, SettingField>;

export type SettingName = keyof typeof settingFields;
export type SettingTexts = Record<string, string>;

/** The fields of a form: what each showed when the form was made, null if the form does not say, and what is in it now. */
export type SettingEdits = ReadonlyMap<SettingName, { was: string | null; typed: string }>;

const TYPED_MAX = 2_000;

/** The fields of a form, each with the text that it showed at first, which the form sends beside it. */
export const editsOf = <Name extends string>(form: URLSearchParams, names: readonly Name[]) =>
  new Map(
    names
      .filter((name) => form.has(name))
      .map((name) => [name, { typed: textIn(form, name, TYPED_MAX), was: form.get(`was_${name}`) }]),
  );

/** The same of checkboxes: a form sends those that are ticked, so nothing of a field where none is. */
export const tickedEditsOf = <Name extends string>(form: URLSearchParams, names: readonly Name[]) =>
  new Map(
    names
      .filter((name) => form.has(`was_${name}`))
      .map((name) => [name, { typed: form.getAll(name).join(', '), was: form.get(`was_${name}`) }]),
  );

export const typedIn = (edits: SettingEdits): SettingTexts =>
  Object.fromEntries([...edits].map(([name, { typed }]) => [name, typed]));

/** The change that a form asks for, or what is wrong with which field. A field that was left as it was asks for nothing. */
export function changesIn(edits: SettingEdits) {
  const changes = new Map<SettingName, SettingsChange>();
  const faults: SettingTexts = {};
  for (const [name, { was, typed }] of edits) {
    if (typed === was) continue;
    const { change, mayBeBlank }: SettingField = settingFields[name];
    try {
      changes.set(name, change(typed));
    } catch (error) {
      if (!(error instanceof TypedMistake)) throw error;
      faults[name] = `This must be ${error.wanted}${mayBeBlank ? ', or blank' : ''}.`;
    }
  }
  return { changes, faults };
}

/** Name, colour and language as typed, where they can be used. */
export function brandIn(edits: SettingEdits): Partial<Pick<Settings, 'name' | 'colour' | 'language'>> {
  const { changes } = changesIn(edits);
  return { ...changes.get('name'), ...changes.get('colour'), ...changes.get('language') };
}
