import type { FastifyReply } from 'fastify';
import { limitConcurrency } from '../../../api/concurrency.ts';
import { PLANS, type Settings, type SettingsChange } from '../../../businesses/settings.ts';
import { readAccount } from '../../../businesses/sql.ts';
import { bool, count, countries, moment, note, oneOf } from '../../../kit/typedValues.ts';
import {
  type DashboardContext,
  type OperatorRoute,
  sendDashboardPage,
  type Visit,
} from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { EMPTY_FORM, type RefusedForm, type TypedForm, typedForm } from '../../kit/typedForm.ts';
import { changeShop, grantToShop, rebuildShopUsage } from './actions.ts';
import {
  dayOfPeriodEnd,
  deactivatePage,
  grantPage,
  limitsPage,
  planPage,
  rebuildUsagePage,
  type ShopFormProps,
} from './forms.tsx';
import { OPERATED_SHOP, onShop, type ShopActionHandler, type ShopFlash, toShop } from './shopRoutes.ts';

/** A recount locks the shop's counters, and takes long. */
const RECOUNTS_AT_ONCE = 1;

/** Acts on a shop that have a page of their own. */
export function shopFormRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, site, onEvents } = context;
  const recounts = limitConcurrency(() => RECOUNTS_AT_ONCE);

  /** The page that asks and the form that it sends, at one path. */
  const formRoutes = (
    below: string,
    {
      show,
      submit,
      isGrant = false,
    }: { show: ShopActionHandler; submit: ShopActionHandler; isGrant?: boolean },
  ): OperatorRoute[] => {
    const path = `${OPERATED_SHOP}/${below}`;
    const action = isGrant ? 'operator.grant' : 'operator.pages';
    return [get(path, action, onShop(context, show)), post(path, action, onShop(context, submit))];
  };

  const sendGrant = async (
    visit: Visit,
    reply: FastifyReply,
    settings: Settings,
    form: RefusedForm,
  ): Promise<FastifyReply> => {
    const [account] = await readAccount(pool, settings.id);
    const page = grantPage({ site, visit, settings, form, balance: account?.balance ?? 0 });
    return sendDashboardPage(reply, form === EMPTY_FORM ? 200 : 422, page);
  };

  /** Changes what `read` finds in the form; null: the form is wrong. */
  const submitForm =
    (
      page: (props: ShopFormProps) => string,
      read: (form: TypedForm, settings: Settings) => SettingsChange | null,
      flash: ShopFlash,
    ): ShopActionHandler =>
    async (act, visit, request, reply) => {
      const form = typedForm(request);
      const change = read(form, act.settings);
      if (change === null) {
        const refused = form.refused() ?? EMPTY_FORM;
        return sendDashboardPage(reply, 422, page({ site, visit, settings: act.settings, form: refused }));
      }
      const { changed, deliveries } = await changeShop({ pool, clock, sandbox: site.sandbox }, act, change);
      if (deliveries > 0) onEvents();
      return toShop(context, reply, act, changed ? flash : 'nothing_changed');
    };

  const showForm =
    (page: (props: ShopFormProps) => string): ShopActionHandler =>
    async ({ settings }, visit, _request, reply) =>
      sendDashboardPage(reply, 200, page({ site, visit, settings, form: EMPTY_FORM }));

  return [
    ...formRoutes('credits', {
      isGrant: true,
      show: ({ settings }, visit, _request, reply) => sendGrant(visit, reply, settings, EMPTY_FORM),
      async submit(act, visit, request, reply) {
        const form = typedForm(request);
        const credits = form.required('credits', 'The number of credits', count(1));
        const why = form.optional('note', 'The note', note);
        if (credits === undefined || why === undefined)
          return sendGrant(visit, reply, act.settings, form.refused() ?? EMPTY_FORM);
        await grantToShop({ pool, clock }, act, { credits, note: why });
        return toShop(context, reply, act, 'credited');
      },
    }),
    ...formRoutes('plan', {
      isGrant: true,
      show: showForm(planPage),
      submit: submitForm(planPage, planIn, 'plan_changed'),
    }),
    ...formRoutes('limits', {
      show: showForm(limitsPage),
      submit: submitForm(limitsPage, limitsIn, 'limits_changed'),
    }),
    ...formRoutes('deactivate', {
      show: showForm(deactivatePage),
      submit: submitForm(deactivatePage, () => ({ active: false }), 'deactivated'),
    }),
    ...formRoutes('usage', {
      show: showForm(rebuildUsagePage),
      async submit(act, _visit, _request, reply) {
        const { changed } = await recounts.run('recount', () => rebuildShopUsage({ pool, clock }, act));
        return toShop(context, reply, act, changed.length === 0 ? 'usage_same' : 'usage_changed');
      },
    }),
  ];
}

function planIn(form: TypedForm, settings: Settings): SettingsChange | null {
  const plan = form.required('plan', 'The plan', oneOf(PLANS));
  const day = form.text('period_end');
  // The form knows days only: the same day leaves the exact moment as it is.
  const periodEnd =
    day === dayOfPeriodEnd(settings)
      ? settings.periodEnd
      : form.optional('period_end', 'The end of the period', (text, called) =>
          moment(`${text}T00:00:00Z`, called),
        );
  const emailAllowance = form.optional('email_allowance', 'The number of emails', count(0));
  if (plan === undefined || periodEnd === undefined || emailAllowance === undefined) return null;
  return { plan, periodEnd, emailAllowance };
}

function limitsIn(form: TypedForm): SettingsChange | null {
  const dailyEmailCap = form.optional('daily_email_cap', 'The number of emails per day', count(0));
  const hourly = form.optional('paid_per_recipient_hour', 'The number per hour', count(1));
  const allowed = form.optional('countries', 'Countries', countries);
  const warmup = form.required('warmup', 'Warm-up', bool);
  if (dailyEmailCap === undefined || hourly === undefined || allowed === undefined || warmup === undefined)
    return null;
  return { dailyEmailCap, paidPerRecipientHourCeiling: hourly, countriesCeiling: allowed, warmup };
}
