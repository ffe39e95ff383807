import { REPLY_FORWARDS, type Settings, type SettingsChange } from '../../../businesses/settings.ts';
import type { Mode } from '../../../contract/channels.ts';
import {
  businessName,
  colour,
  count,
  countries,
  email,
  oneOf,
  type ParseValue,
  TypedMistake,
} from '../../../kit/typedValues.ts';
import { LANGUAGES } from '../../../language/languages.ts';
import { textIn } from '../../kit/request.ts';

/** A setting as a form has it: a text that stands for the value, and the change that a text asks for. */
export interface SettingField {
  shown(settings: Settings): string;
  change(text: string): SettingsChange;
  /** What is wrong with the value that these settings have, by what the operator allows; null: nothing. */
  beyond?(settings: Settings): string | null;
}

/** `not_enabled` is where a channel begins; nothing leads back there. */
export const CHOSEN_MODES = ['on', 'on_request', 'off'] as const satisfies readonly Mode[];

/** A blank field takes the value away. */
const orBlank =
  <T>(read: ParseValue<T>) =>
  (text: string, called: string): T | null =>
    text === '' ? null : read(text, called);

/** What owners change themselves. The rules of the values are those of the command line. */
export const settingFields = {
  name: { shown: ({ name }) => name, change: (text) => ({ name: businessName(text, 'name') }) },
  colour: {
    shown: (settings) => settings.colour ?? '',
    change: (text) => ({ colour: orBlank(colour)(text, 'colour') }),
  },
  language: {
    shown: ({ language }) => language,
    change: (text) => ({ language: oneOf(LANGUAGES)(text, 'language') }),
  },
  contact_email: {
    shown: ({ contactEmail }) => contactEmail ?? '',
    change: (text) => ({ contactEmail: orBlank(email)(text, 'contact_email') }),
  },
  reply_forward: {
    shown: ({ replyForward }) => replyForward,
    change: (text) => ({ replyForward: oneOf(REPLY_FORWARDS)(text, 'reply_forward') }),
  },
  countries: {
    shown: ({ ownCountries }) => ownCountries?.join(', ') ?? '',
    change: (text) => ({ ownCountries: orBlank(countries)(text, 'countries') }),
    beyond: ({ countriesCeiling: allowed, ownCountries: own }) =>
      allowed === null || own === null || own.every((country) => allowed.includes(country))
        ? null
        : `The operator allows only ${allowed.join(', ')}.`,
  },
  paid_per_recipient_hour: {
    shown: ({ ownPaidPerRecipientHour }) => ownPaidPerRecipientHour?.toString() ?? '',
    change: (text) => ({ ownPaidPerRecipientHour: orBlank(count(1))(text, 'paid_per_recipient_hour') }),
    beyond: ({ paidPerRecipientHourCeiling: allowed, ownPaidPerRecipientHour: own }) =>
      allowed === null || own === null || own <= allowed ? null : `The operator allows at most ${allowed}.`,
  },
  sms: {
    shown: ({ smsMode }) => smsMode,
    change: (text) => ({ smsMode: oneOf(CHOSEN_MODES)(text, 'sms') }),
  },
  whatsapp: {
    shown: ({ whatsappMode }) => whatsappMode,
    change: (text) => ({ whatsappMode: oneOf(CHOSEN_MODES)(text, 'whatsapp') }),
  },
} as const satisfies Record<string, SettingField>;

export type SettingName = keyof typeof settingFields;
export type SettingTexts = Record<string, string>;

/** One field of a form: what it showed when the form was made, and what is in it now. */
export interface SettingEdit {
  /** Null: the form does not say. */
  was: string | null;
  typed: string;
}
export type SettingEdits = Partial<Record<SettingName, SettingEdit>>;

const TYPED_MAX = 2_000;

/** The fields of a form, each with the text that it showed at first, which the form sends beside it. */
export function editsOf<Name extends string>(
  form: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, SettingEdit>> {
  const edits: Partial<Record<Name, SettingEdit>> = {};
  for (const name of names)
    if (form.has(name)) edits[name] = { typed: textIn(form, name, TYPED_MAX), was: form.get(`was_${name}`) };
  return edits;
}

export const typedIn = (edits: SettingEdits): Record<string, string> =>
  Object.fromEntries(editedFields(edits).map(([name, { typed }]) => [name, typed]));

/** The change that a form asks for, or what is wrong with which field. A field that was left as it was asks for nothing. */
export function changesIn(edits: SettingEdits): {
  changes: Map<SettingName, SettingsChange>;
  faults: SettingTexts;
} {
  const changes = new Map<SettingName, SettingsChange>();
  const faults: SettingTexts = {};
  for (const [name, { was, typed }] of editedFields(edits)) {
    if (typed === was) continue;
    try {
      changes.set(name, settingFields[name].change(typed));
    } catch (error) {
      if (!(error instanceof TypedMistake)) throw error;
      faults[name] = `This must be ${error.wanted}${OR_BLANK[name] ?? ''}.`;
    }
  }
  return { changes, faults };
}

/** Name, colour and language as typed, where they can be used. */
export function brandIn(edits: SettingEdits): Partial<Pick<Settings, 'name' | 'colour' | 'language'>> {
  const { changes } = changesIn(edits);
  return { ...changes.get('name'), ...changes.get('colour'), ...changes.get('language') };
}

const OR_BLANK: SettingTexts = {
  colour: ', or blank',
  contact_email: ', or blank',
  countries: ', or blank',
  paid_per_recipient_hour: ', or blank',
};

export function editedFields(edits: SettingEdits): [SettingName, SettingEdit][] {
  return settingNames.flatMap((name): [SettingName, SettingEdit][] => {
    const edit = edits[name];
    return edit === undefined ? [] : [[name, edit]];
  });
}

const isSettingName = (text: string): text is SettingName => Object.hasOwn(settingFields, text);
const settingNames = Object.keys(settingFields).filter(isSettingName);
