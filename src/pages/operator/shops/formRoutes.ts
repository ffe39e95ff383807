import { limitConcurrency } from '../../../api/concurrency.ts';
import { PLANS, type Settings, type SettingsChange } from '../../../businesses/settings.ts';
import { readAccount } from '../../../businesses/sql.ts';
import { bool, count, countries, moment, note, oneOf } from '../../../kit/typedValues.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { EMPTY_FORM, type RefusedForm, type TypedForm, typedForm } from '../../kit/typedForm.ts';
import { areGiven } from '../fields.ts';
import { grantToShop, rebuildShopUsage } from './actions.ts';
import { dayOfPeriodEnd, type ShopSheetName, shopSheetPage } from './forms.tsx';
import {
  applyChange,
  OPERATED_SHOP,
  type OperatedShopAction,
  onShop,
  type ShopFlash,
  toShop,
} from './shopRoutes.ts';

/** A recount locks the shop's counters, and takes long. */
const RECOUNTS_AT_ONCE = 1;

/** Does what a form asks for; null: the form is wrong, and says why. */
type Submit = (action: OperatedShopAction, form: TypedForm) => Promise<ShopFlash | null>;

/** The page that asks and the form that it sends, at one path. */
function sheetRoutes(context: DashboardContext, name: ShopSheetName, submit: Submit): OperatorRoute[] {
  const path = `${OPERATED_SHOP}/${name}`;
  const action = name === 'credits' || name === 'plan' ? 'operator.grant' : 'operator.pages';
  const pageFor = async (visit: Visit, settings: Settings, form: RefusedForm) => {
    const [account] = name === 'credits' ? await readAccount(context.pool, settings.id) : [];
    const balance = name === 'credits' ? (account?.balance ?? 0) : null;
    return shopSheetPage(visit, name, settings, form, balance);
  };
  return [
    get(
      path,
      action,
      onShop(context, ({ settings }, visit) => pageFor(visit, settings, EMPTY_FORM)),
    ),
    post(
      path,
      action,
      onShop(context, async (act, visit, request) => {
        const form = typedForm(request);
        const flash = await submit(act, form);
        if (flash !== null) return toShop(act, flash);
        return { ...(await pageFor(visit, act.settings, form.refused() ?? EMPTY_FORM)), status: 422 };
      }),
    ),
  ];
}

/** Actions on a shop that have a page of their own. */
export function shopFormRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock } = context;
  const recounts = limitConcurrency(() => RECOUNTS_AT_ONCE);

  const sheet = (name: ShopSheetName, submit: Submit) => sheetRoutes(context, name, submit);

  /** Changes the settings that `read` finds in the form. */
  const change =
    (read: (form: TypedForm, settings: Settings) => SettingsChange | null, flash: ShopFlash): Submit =>
    async (act, form) => {
      const wanted = read(form, act.settings);
      return wanted === null ? null : applyChange(context, act, wanted, flash);
    };

  return [
    ...sheet('credits', async (act, form) => {
      const grant = {
        credits: form.required('credits', 'The number of credits', count(1)),
        note: form.optional('note', 'The note', note),
      };
      if (!areGiven(grant)) return null;
      await grantToShop({ pool, clock }, act, grant);
      return 'credited';
    }),
    ...sheet('plan', change(planIn, 'plan_changed')),
    ...sheet('limits', change(limitsIn, 'limits_changed')),
    ...sheet(
      'deactivate',
      change(() => ({ active: false }), 'deactivated'),
    ),
    ...sheet('usage', async (act) => {
      const { changed } = await recounts.run('recount', () => rebuildShopUsage({ pool, clock }, act));
      return changed.length === 0 ? 'usage_same' : 'usage_changed';
    }),
  ];
}

function planIn(form: TypedForm, settings: Settings): SettingsChange | null {
  // The form knows days only: the same day leaves the exact moment as it is.
  const isSameDay = form.text('period_end') === dayOfPeriodEnd(settings);
  const midnight = (day: string, called: string) => moment(`${day}T00:00:00Z`, called);
  const plan = {
    plan: form.required('plan', 'The plan', oneOf(PLANS)),
    periodEnd: isSameDay
      ? settings.periodEnd
      : form.optional('period_end', 'The end of the period', midnight),
    emailAllowance: form.optional('email_allowance', 'The number of emails', count(0)),
  };
  return areGiven(plan) ? plan : null;
}

function limitsIn(form: TypedForm): SettingsChange | null {
  const limits = {
    dailyEmailCap: form.optional('daily_email_cap', 'The number of emails per day', count(0)),
    paidPerRecipientHourCeiling: form.optional('paid_per_recipient_hour', 'The number per hour', count(1)),
    countriesCeiling: form.optional('countries', 'Countries', countries),
    warmup: form.required('warmup', 'Warm-up', bool),
  };
  return areGiven(limits) ? limits : null;
}
