import { actingMember } from '../../businesses/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { platformSuppressionOf } from '../../recipients/stopsSql.ts';
import { liftForAll } from '../../recipients/suppressions.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../dashboard/context.ts';
import type { Page } from '../dashboard/layout.tsx';
import { get, post } from '../dashboard/route.ts';
import { Badge, Panel, ZonedTime } from '../kit/components.tsx';
import type { Flashes } from '../kit/flash.ts';
import { ActionForm, FormFields, HiddenFields } from '../kit/forms.tsx';
import { formOf } from '../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, readForm } from '../kit/typedForm.ts';
import { ADDRESS_FORM, inputField } from './fields.ts';

const PATH = '/dashboard/operator/suppressions';

const FLASHES = {
  lifted: [
    'good',
    'Every shop on the shared domain may email this address again, unless it has a reason of its own not to.',
  ],
  nothing_lifted: ['waiting', 'Nothing was changed: this address was not suppressed for all shops.'],
} satisfies Flashes;

/** Addresses that nobody mails from the shared domain: only hashes are kept, so one is looked up by who knows it. */
export function platformSuppressionRoutes({ pool, clock, hash }: DashboardContext): OperatorRoute[] {
  return [
    get(PATH, { action: 'operator.pages', flashes: FLASHES }, async (visit) =>
      platformSuppressionsPage(visit, null, EMPTY_FORM),
    ),
    // By POST, so that no address gets into a URL.
    post(PATH, 'operator.pages', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), ADDRESS_FORM);
      if (values === null) return { ...platformSuppressionsPage(visit, null, form), status: 422 };
      if (formOf(request).get('act') === 'lift') {
        const lift = { ...values, actor: actingMember(visit.session.memberId) };
        const lifted = await transaction(pool, (tx) => liftForAll(tx, hash, lift, clock.now()));
        const flash: keyof typeof FLASHES = lifted ? 'lifted' : 'nothing_lifted';
        return { goTo: `${PATH}?flash=${flash}` };
      }
      const [row] = await platformSuppressionOf(pool, hash('email', values.email));
      return platformSuppressionsPage(visit, { ...values, since: row?.at ?? null }, EMPTY_FORM);
    }),
  ];
}

interface FoundAddress {
  email: string;
  /** Null: it is not suppressed. */
  since: Date | null;
}

function platformSuppressionsPage(visit: Visit, found: FoundAddress | null, form: RefusedForm): Page {
  return {
    operatorAt: 'suppressions',
    title: 'Suppressions',
    heading: 'Suppressions for all shops',
    children: (
      <>
        <p>
          An address that bounced for good from the shared sending domain is mailed by no shop on that domain.
          Only a hash of it is kept, so you find it only if you know it.
        </p>
        <Panel id="look-up" title="Look an address up">
          <AddressForm visit={visit} path={PATH} form={form} email={found?.email}>
            <ActionButton name="find" label="Look it up" />
          </AddressForm>
        </Panel>
        {found !== null && (
          <Panel id="found" title={<span class="reply">{found.email}</span>}>
            {found.since === null ? (
              <p>
                <Badge tone="good" text="Not suppressed" /> A single shop may still have a reason not to email
                it.
              </p>
            ) : (
              <Suppressed visit={visit} email={found.email} since={found.since} />
            )}
          </Panel>
        )}
      </>
    ),
  };
}

const Suppressed = ({ visit, email, since }: { visit: Visit; email: string; since: Date }) => (
  <>
    <p>
      <Badge tone="bad" text="Suppressed" /> It bounced <ZonedTime at={since} />. Lift this only if you know
      that the address works again: bounces harm the delivery of everybody’s mail.
    </p>
    <ActionForm action={visit.site.to(PATH)} formToken={visit.session.formToken}>
      <HiddenFields values={{ email }} />
      <ActionButton name="lift" label="Let all shops email it again" look="dangerous" />
    </ActionForm>
  </>
);

const ADDRESS = inputField('email', 'Address', 'email', { required: true });

interface AddressFormProps {
  visit: Visit;
  path: string;
  form: RefusedForm;
  /** The address that was looked up. */
  email: string | undefined;
  children: Children;
}

/** An address, and the buttons of what can be done with it. */
export const AddressForm = ({ visit, path, form, email = '', children }: AddressFormProps) => (
  <ActionForm action={visit.site.to(path)} formToken={visit.session.formToken}>
    <div class="stack">
      <FormFields fields={[ADDRESS]} form={form} values={{ email }} />
      <div class="acts">{children}</div>
    </div>
  </ActionForm>
);

interface ActionButtonProps {
  name: string;
  label: string;
  look?: 'quiet' | 'dangerous';
}

/** One of several buttons of a form: it names what is asked for. */
export const ActionButton = ({ name, label, look = 'quiet' }: ActionButtonProps) => (
  <button class={`button ${look}`} type="submit" name="act" value={name}>
    {label}
  </button>
);
