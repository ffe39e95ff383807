import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { Badge, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';

interface PlatformSuppressionsProps {
  site: Site;
  visit: Visit;
  /** What was looked up; `since` null: it is not suppressed. */
  found: { email: string; since: Date | null } | null;
  flash: Flash | null;
  form: RefusedForm;
}

export function platformSuppressionsPage(props: PlatformSuppressionsProps): string {
  const { site, visit, found, flash, form } = props;
  const path = site.to('/dashboard/operator/suppressions');
  const { formToken } = visit.session;
  return dashboardPage({
    site,
    title: 'Suppressions',
    visit,
    operatorAt: 'suppressions',
    children: (
      <>
        <h1>Suppressions for all shops</h1>
        <p>
          An address that bounced for good from the shared sending domain is mailed by no shop on that domain.
          Only a hash of it is kept, so it is found by whoever knows it.
        </p>
        {flash && <FlashNote {...flash} />}
        <section class="panel" aria-labelledby="look-up">
          <h2 id="look-up">Look an address up</h2>
          <ActionForm action={path} formToken={formToken}>
            <div class="stack">
              <FormField
                {...fieldState(form, 'email', found?.email ?? '')}
                label="Address"
                type="email"
                autocomplete="off"
                required
              />
              <div>
                <button class="button quiet" type="submit" name="act" value="find">
                  Look it up
                </button>
              </div>
            </div>
          </ActionForm>
        </section>
        {found !== null && <FoundAddress path={path} formToken={formToken} found={found} />}
      </>
    ),
  });
}

function FoundAddress({
  path,
  formToken,
  found,
}: {
  path: string;
  formToken: string;
  found: NonNullable<PlatformSuppressionsProps['found']>;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="found">
      <h2 id="found" class="reply">
        {found.email}
      </h2>
      {found.since === null ? (
        <p>
          <Badge tone="good" text="Not suppressed" /> A single shop may still have a reason not to email it.
        </p>
      ) : (
        <>
          <p>
            <Badge tone="bad" text="Suppressed" /> It bounced <ZonedTime at={found.since.toISOString()} />.
            Lift this only if you know that the address works again: bounces harm the delivery of everybody’s
            mail.
          </p>
          <ActionForm action={path} formToken={formToken}>
            <div>
              <input type="hidden" name="email" value={found.email} />
              <button class="button dangerous" type="submit" name="act" value="lift">
                Let all shops email it again
              </button>
            </div>
          </ActionForm>
        </>
      )}
    </section>
  );
}
