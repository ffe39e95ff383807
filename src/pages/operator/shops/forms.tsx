import { PLANS, type Settings } from '../../../businesses/settings.ts';
import { MODES } from '../../../contract/channels.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, languageName } from '../../../language/languages.ts';
import { MODE_WORDS } from '../../dashboard/channels/words.ts';
import { confirmPage } from '../../dashboard/confirm.tsx';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { type FieldDef, FormFields } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { filledForm, inputField } from '../fields.ts';
import { PLAN_WORDS } from '../words.tsx';

/** An action on a shop that has a page of its own. */
interface ShopSheet {
  title: string;
  label: string;
  isDangerous?: boolean;
  /** What it does. */
  text?: string;
  fields?: readonly FieldDef[];
  /** What stands in the fields at first. */
  valuesOf?(settings: Settings): Record<string, string>;
}

const numberText = (value: number | null): string => (value === null ? '' : String(value));

export const dayOfPeriodEnd = ({ periodEnd }: Pick<Settings, 'periodEnd'>): string =>
  periodEnd?.toISOString().slice(0, 'yyyy-mm-dd'.length) ?? '';

/** By the place of their pages below the shop's. */
const SHEETS = {
  credits: {
    title: 'Add credits',
    label: 'Add the credits',
    fields: [
      inputField('credits', 'Credits', 'number', { required: true }),
      inputField('note', 'Note', 'text', {
        hint: "Why, for the shop's ledger, such as the number of an invoice. The shop's members see it.",
        maxlength: 300,
      }),
    ],
  },
  plan: {
    title: 'Change the plan',
    label: 'Change the plan',
    fields: [
      {
        id: 'plan',
        label: 'Plan',
        options: PLANS.map((plan) => [plan, PLAN_WORDS[plan]] as const),
        hint: 'One that is past due lapses when its period ends. A lapsed shop can read, but not push.',
      },
      inputField('period_end', 'The period ends on', 'date', {
        hint: 'At midnight UTC. A later day begins a new period. Empty: no end.',
      }),
      inputField('email_allowance', 'Emails in a period', 'number', { hint: 'Empty: no limit.' }),
    ],
    valuesOf: (settings) => ({
      plan: settings.plan,
      period_end: dayOfPeriodEnd(settings),
      email_allowance: numberText(settings.emailAllowance),
    }),
  },
  limits: {
    title: 'Change the limits',
    label: 'Change the limits',
    fields: [
      inputField('daily_email_cap', 'Emails per day', 'number', { hint: 'Empty: no cap.' }),
      inputField(
        'paid_per_recipient_hour',
        'Texts and WhatsApp messages per hour to one customer',
        'number',
        { hint: 'The shop may set less. Empty: no limit of yours.' },
      ),
      inputField('countries', 'Countries', 'text', {
        hint: 'That its paid messages may go to, such as EE,FI,GB; the shop may narrow them. Empty: every country but the US and Canada.',
      }),
      {
        id: 'warmup',
        label: 'Warm-up',
        options: [
          ['false', 'Off'],
          ['true', 'Limit texts per day in the first two weeks after they are enabled'],
        ],
      },
    ],
    valuesOf: (settings) => ({
      daily_email_cap: numberText(settings.dailyEmailCap),
      paid_per_recipient_hour: numberText(settings.paidPerRecipientHourCeiling),
      countries: settings.countriesCeiling?.join(', ') ?? '',
      warmup: String(settings.warmup),
    }),
  },
  deactivate: {
    title: 'Deactivate this shop?',
    label: 'Deactivate it',
    isDangerous: true,
    text: 'Nothing is sent for it any more, and its keys are refused. Its data stay, its members can still sign in, and you can activate it again.',
  },
  usage: {
    title: 'Count the usage anew?',
    label: 'Count it anew',
    text: 'Use it if you doubt the figures. The pushes of this shop wait meanwhile, about a second per 100,000 messages. Up to the day of its last erasure, counters are only raised.',
  },
} satisfies Record<string, ShopSheet>;
export type ShopSheetName = keyof typeof SHEETS;

/** The page that asks for one action on a shop; `balance` is said where credits are added. */
export function shopSheetPage(
  visit: Visit,
  name: ShopSheetName,
  settings: Settings,
  form: RefusedForm,
  balance: number | null = null,
): Page {
  const { text, fields = [], valuesOf, ...sheet }: ShopSheet = SHEETS[name];
  const path = visit.site.to(`/dashboard/operator/shops/${settings.id}`);
  return confirmPage(visit, {
    ...sheet,
    operatorAt: 'shops',
    action: `${path}/${name}`,
    back: { href: path, label: 'Back to the shop' },
    children: (
      <>
        <p>
          For <strong dir="auto">{settings.name}</strong>.
        </p>
        {text !== undefined && <p>{text}</p>}
        {balance !== null && (
          <p>{`Its balance is ${shownNumber(balance)}. Credits cannot be removed here.`}</p>
        )}
        <FormFields fields={fields} form={filledForm(valuesOf?.(settings) ?? {}, form)} />
      </>
    ),
  });
}

const MODE_OPTIONS = MODES.map((mode) => [mode, MODE_WORDS[mode]] as const);

const NEW_SHOP: readonly FieldDef[] = [
  inputField('name', 'Name', 'text', { hint: 'What customers see as the sender.', required: true }),
  inputField('owner', 'Address of the owner', 'email', {
    hint: 'They sign in with it, by a link that is mailed to them.',
    required: true,
  }),
  inputField('credits', 'Credits to begin with', 'number', {
    hint: 'For texts and WhatsApp messages. Email needs none.',
  }),
  {
    id: 'language',
    label: 'Language',
    options: LANGUAGES.map((one) => [one, languageName(one)] as const),
    hint: 'Of mails, texts and the inbox, for customers whose own is not known.',
  },
  { id: 'sms', label: 'Texts', options: MODE_OPTIONS },
  { id: 'whatsapp', label: 'WhatsApp', options: MODE_OPTIONS },
  inputField('countries', 'Countries', 'text', {
    hint: 'That its paid messages may go to, such as EE,FI,GB. Empty: every country but the US and Canada.',
  }),
  inputField('contact', 'Contact address', 'email', {
    hint: 'Where WhatsApp replies are forwarded to, if the shop wants that.',
  }),
];
const NEW_SHOP_VALUES = {
  credits: '0',
  language: DEFAULT_LANGUAGE,
  sms: 'on_request',
  whatsapp: 'on_request',
};

/** Creating a shop, with its owner. */
export const newShopPage = (visit: Visit, form: RefusedForm): Page =>
  confirmPage(visit, {
    operatorAt: 'shops',
    title: 'Create a shop',
    action: visit.site.to('/dashboard/operator/shops/new'),
    label: 'Create the shop',
    back: { href: visit.site.to('/dashboard/operator'), label: 'Back to the shops' },
    children: <FormFields fields={NEW_SHOP} form={filledForm(NEW_SHOP_VALUES, form)} />,
  });
