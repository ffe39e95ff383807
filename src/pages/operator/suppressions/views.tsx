import type { Children } from '../../../kit/jsxRuntime.ts';
import type { Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { Badge, Panel, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, FormFields, HiddenFields } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { filledForm, inputField } from '../fields.ts';

interface FoundAddress {
  email: string;
  /** Null: it is not suppressed. */
  since: Date | null;
}

export function platformSuppressionsPage(visit: Visit, found: FoundAddress | null, form: RefusedForm): Page {
  const path = visit.site.to('/dashboard/operator/suppressions');
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
          <AddressForm visit={visit} path={path} form={filledForm({ email: found?.email ?? '' }, form)}>
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
              <Suppressed visit={visit} path={path} email={found.email} since={found.since} />
            )}
          </Panel>
        )}
      </>
    ),
  };
}

interface AddressProps {
  visit: Visit;
  path: string;
}

const Suppressed = ({
  visit,
  path,
  email,
  since,
}: AddressProps & { email: string; since: Date }): JSX.Element => (
  <>
    <p>
      <Badge tone="bad" text="Suppressed" /> It bounced <ZonedTime at={since} />. Lift this only if you know
      that the address works again: bounces harm the delivery of everybody’s mail.
    </p>
    <ActionForm action={path} formToken={visit.session.formToken}>
      <HiddenFields values={{ email }} />
      <ActionButton name="lift" label="Let all shops email it again" look="dangerous" />
    </ActionForm>
  </>
);

const ADDRESS = inputField('email', 'Address', 'email', { required: true });

/** An address, and the buttons of what can be done with it. */
export const AddressForm = ({
  visit,
  path,
  form,
  children,
}: AddressProps & { form: RefusedForm; children: Children }): JSX.Element => (
  <ActionForm action={path} formToken={visit.session.formToken}>
    <div class="stack">
      <FormFields fields={[ADDRESS]} form={form} />
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
export const ActionButton = ({ name, label, look = 'quiet' }: ActionButtonProps): JSX.Element => (
  <button class={`button ${look}`} type="submit" name="act" value={name}>
    {label}
  </button>
);
