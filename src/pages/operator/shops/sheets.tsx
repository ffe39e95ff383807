import { limitConcurrency } from '../../../api/concurrency.ts';
import { MAX_CREDITS_PER_MESSAGE } from '../../../businesses/prices.ts';
import { PLANS, type Settings } from '../../../businesses/settings.ts';
import { readAccount } from '../../../businesses/sql.ts';
import { bool, count, countries, moment, note, oneOf } from '../../../kit/typedValues.ts';
import { confirmPage } from '../../dashboard/confirm.tsx';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { get, post } from '../../dashboard/route.ts';
import { type FieldDef, FormFields } from '../../kit/forms.tsx';
import { formOf } from '../../kit/request.ts';
import {
  EMPTY_FORM,
  type FormSpec,
  type FormValues,
  optionalField,
  type RefusedForm,
  readForm,
  typedField,
} from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import { PLAN_WORDS } from '../words.tsx';
import { grantToShop, rebuildShopUsage } from './actions.ts';
import { applyChange, type OperatedShopAction, type ShopFlash, shopRoute, toShop } from './shopRoutes.ts';

/** An action on a shop that has a page of its own, which asks for it. */
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

const dayOf = (moment: Date | null): string => moment?.toISOString().slice(0, 'yyyy-mm-dd'.length) ?? '';

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
      inputField('reply_ack_credits', 'Credits for the acknowledgement of a WhatsApp reply', 'number', {
        hint: 'For each that goes out, at most one in 24 hours to a customer. 0: free.',
        required: true,
      }),
    ],
    valuesOf: (settings) => ({
      plan: settings.plan,
      period_end: dayOf(settings.periodEnd),
      email_allowance: numberText(settings.emailAllowance),
      reply_ack_credits: String(settings.replyAckCredits),
    }),
  },
  limits: {
    title: 'Change the limits',
    label: 'Change the limits',
    fields: [
      inputField('daily_email_cap', 'Emails per day', 'number', { hint: 'Empty: no cap.' }),
      inputField('paid_per_recipient_hour', 'SMS and WhatsApp messages per hour to one customer', 'number', {
        hint: 'The shop may set less. Empty: no limit of yours.',
      }),
      inputField('countries', 'Countries', 'text', {
        hint: 'That its paid messages may go to, such as EE,FI,GB; the shop may narrow them. Empty: every country but the US and Canada.',
      }),
      {
        id: 'warmup',
        label: 'Warm-up',
        options: [
          ['false', 'Off'],
          ['true', 'Limit SMS per day in the first two weeks after they are enabled'],
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

const CREDITS_FORM = {
  credits: typedField('The number of credits', count(1)),
  note: optionalField('The note', note),
};

const PLAN_FORM = {
  plan: typedField('The plan', oneOf(PLANS)),
  period_end: optionalField('The end of the period', (day, called) => moment(`${day}T00:00:00Z`, called)),
  email_allowance: optionalField('The number of emails', count(0)),
  reply_ack_credits: typedField('The price of an acknowledgement', count(0, MAX_CREDITS_PER_MESSAGE)),
};

const LIMITS_FORM = {
  daily_email_cap: optionalField('The number of emails per day', count(0)),
  paid_per_recipient_hour: optionalField('The number per hour', count(1)),
  countries: optionalField('Countries', countries),
  warmup: typedField('Warm-up', bool),
};

/** A recount locks the shop's counters, and takes long. */
const RECOUNTS_AT_ONCE = 1;

/** Actions on a shop that have a page of their own. */
export function shopSheetRoutes(context: DashboardContext): OperatorRoute[] {
  const recounts = limitConcurrency(() => RECOUNTS_AT_ONCE);
  return [
    ...sheetRoutes(context, 'credits', CREDITS_FORM, async (act, grant) => {
      await grantToShop(context, act, grant);
      return 'credited';
    }),
    ...sheetRoutes(context, 'plan', PLAN_FORM, (act, { plan, period_end: end, ...terms }) => {
      // The form knows days only: the same day leaves the exact moment as it is.
      const { periodEnd } = act.settings;
      const change = {
        plan,
        periodEnd: dayOf(end) === dayOf(periodEnd) ? periodEnd : end,
        emailAllowance: terms.email_allowance,
        replyAckCredits: terms.reply_ack_credits,
      };
      return applyChange(context, act, change, 'plan_changed');
    }),
    ...sheetRoutes(context, 'limits', LIMITS_FORM, (act, limits) => {
      const change = {
        dailyEmailCap: limits.daily_email_cap,
        paidPerRecipientHourCeiling: limits.paid_per_recipient_hour,
        countriesCeiling: limits.countries,
        warmup: limits.warmup,
      };
      return applyChange(context, act, change, 'limits_changed');
    }),
    ...sheetRoutes(context, 'deactivate', {}, (act) =>
      applyChange(context, act, { active: false }, 'deactivated'),
    ),
    ...sheetRoutes(context, 'usage', {}, async (act) => {
      const { changed } = await recounts.run('recount', () => rebuildShopUsage(context, act));
      return changed.length === 0 ? 'usage_same' : 'usage_changed';
    }),
  ];
}

/** The page that asks and the form that it sends, at one path. */
function sheetRoutes<S extends FormSpec>(
  context: DashboardContext,
  name: keyof typeof SHEETS,
  spec: S,
  submit: (act: OperatedShopAction, values: FormValues<S>) => Promise<ShopFlash>,
): OperatorRoute[] {
  const below = `/${name}`;
  const action = name === 'credits' || name === 'plan' ? 'operator.grant' : 'operator.pages';
  const pageFor = async (visit: Visit, settings: Settings, form: RefusedForm) => {
    const [account] = name === 'credits' ? await readAccount(context.pool, settings.id) : [];
    const balance = name === 'credits' ? (account?.balance ?? 0) : null;
    return shopSheetPage(visit, name, settings, form, balance);
  };
  return [
    shopRoute(context, get, below, action, ({ settings }, visit) => pageFor(visit, settings, EMPTY_FORM)),
    shopRoute(context, post, below, action, async (act, visit, request) => {
      const { values, ...form } = readForm(formOf(request), spec);
      if (values !== null) return toShop(act, await submit(act, values));
      return { ...(await pageFor(visit, act.settings, form)), status: 422 };
    }),
  ];
}

/** The page that asks for one action on a shop; `balance` is shown where credits are added. */
function shopSheetPage(
  visit: Visit,
  name: keyof typeof SHEETS,
  settings: Settings,
  form: RefusedForm,
  balance: number | null,
): Page {
  const { text, fields = [], valuesOf, ...sheet }: ShopSheet = SHEETS[name];
  const path = visit.site.to(`/dashboard/operator/shops/${settings.id}`);
  return confirmPage(visit, {
    ...sheet,
    operatorAt: 'shops',
    within: [{ href: path, label: settings.name }],
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
        <FormFields fields={fields} form={form} values={valuesOf?.(settings) ?? {}} />
      </>
    ),
  });
}
