import { PLANS, type Settings } from '../../../businesses/settings.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { ConfirmSheet, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { PLAN_WORDS } from '../words.tsx';

export interface ShopFormProps {
  site: Site;
  visit: Visit;
  settings: Settings;
  form: RefusedForm;
}

/** A page that asks for one act on a shop. `below` is the page's place below the shop's. */
function shopSheet(
  { site, visit, settings }: Omit<ShopFormProps, 'form'>,
  {
    title,
    below,
    label,
    isDangerous = false,
  }: {
    title: string;
    below: string;
    label: string;
    isDangerous?: boolean;
  },
  children: JSX.Element,
): string {
  const path = site.to(`/dashboard/operator/shops/${settings.id}`);
  return dashboardPage({
    site,
    title,
    visit,
    operatorAt: 'shops',
    children: (
      <ConfirmSheet
        title={title}
        action={`${path}/${below}`}
        formToken={visit.session.formToken}
        label={label}
        isDangerous={isDangerous}
        back={{ href: path, label: 'Back to the shop' }}
      >
        <div class="stack">
          <p>
            For <strong dir="auto">{settings.name}</strong>.
          </p>
          {children}
        </div>
      </ConfirmSheet>
    ),
  });
}

export const grantPage = (props: ShopFormProps & { balance: number }): string =>
  shopSheet(
    props,
    { title: 'Add credits', below: 'credits', label: 'Add the credits' },
    <>
      <p>{`Its balance is ${shownNumber(props.balance)}. Credits cannot be taken back here.`}</p>
      <FormField {...fieldState(props.form, 'credits')} label="Credits" type="number" required />
      <FormField
        {...fieldState(props.form, 'note')}
        label="Note"
        type="text"
        hint="Why, for the shop's ledger, such as the number of an invoice. The shop's members see it."
        maxlength={300}
        autocomplete="off"
      />
    </>,
  );

export const planPage = (props: ShopFormProps): string =>
  shopSheet(
    props,
    { title: 'Change the plan', below: 'plan', label: 'Change the plan' },
    <>
      <SelectField
        {...fieldState(props.form, 'plan', props.settings.plan)}
        label="Plan"
        options={PLANS.map((plan) => [plan, PLAN_WORDS[plan]] as const)}
        hint="One that is past due lapses when its period ends. A lapsed shop can read, but not push."
      />
      <FormField
        {...fieldState(props.form, 'period_end', dayOfPeriodEnd(props.settings) ?? '')}
        label="The period ends on"
        type="date"
        hint="At midnight UTC. A later day begins a new period. Empty: no end."
      />
      <FormField
        {...fieldState(props.form, 'email_allowance', numberText(props.settings.emailAllowance))}
        label="Emails in a period"
        type="number"
        hint="Empty: no limit."
      />
    </>,
  );

export const dayOfPeriodEnd = ({ periodEnd }: Pick<Settings, 'periodEnd'>): string | null =>
  periodEnd?.toISOString().slice(0, 'yyyy-mm-dd'.length) ?? null;

export const limitsPage = (props: ShopFormProps): string =>
  shopSheet(
    props,
    { title: 'Change the limits', below: 'limits', label: 'Change the limits' },
    <>
      <FormField
        {...fieldState(props.form, 'daily_email_cap', numberText(props.settings.dailyEmailCap))}
        label="Emails per day"
        type="number"
        hint="Empty: no cap."
      />
      <FormField
        {...fieldState(
          props.form,
          'paid_per_recipient_hour',
          numberText(props.settings.paidPerRecipientHourCeiling),
        )}
        label="Texts and WhatsApp messages per hour to one customer"
        type="number"
        hint="The shop may set less. Empty: no limit of yours."
      />
      <FormField
        {...fieldState(props.form, 'countries', props.settings.countriesCeiling?.join(', ') ?? '')}
        label="Countries"
        type="text"
        autocomplete="off"
        hint="That its paid messages may go to, such as EE,FI,GB; the shop may narrow them. Empty: every country but the US and Canada."
      />
      <SelectField
        {...fieldState(props.form, 'warmup', String(props.settings.warmup))}
        label="Warm-up"
        options={[
          ['false', 'Off'],
          ['true', 'Limit texts per day in the first two weeks after they are enabled'],
        ]}
      />
    </>,
  );

export const deactivatePage = (props: Omit<ShopFormProps, 'form'>): string =>
  shopSheet(
    props,
    { title: 'Deactivate this shop?', below: 'deactivate', label: 'Deactivate it', isDangerous: true },
    <p>
      Nothing is sent for it any more, and its keys are refused. Its data stay, its members can still sign in,
      and you can activate it again.
    </p>,
  );

export const rebuildUsagePage = (props: Omit<ShopFormProps, 'form'>): string =>
  shopSheet(
    props,
    { title: 'Count the usage anew?', below: 'usage', label: 'Count it anew' },
    <p>
      Use it if you doubt the figures. The pushes of this shop wait meanwhile, about a second per 100,000
      messages. Up to the day of its last erasure, counters are only raised.
    </p>,
  );

const numberText = (value: number | null): string => (value === null ? '' : String(value));
