import { SECRET_SWITCH_DEFAULT_MINUTES, SECRET_SWITCH_MAX_MINUTES } from '../../../config/limits.ts';
import { CodeBlock } from '../../kit/code.tsx';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, ConfirmSheet, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { webhooksPath } from './parts.tsx';
import type { ShownEndpoint } from './sql.ts';

interface SecretProps {
  site: Site;
  visit: ShopVisit;
  endpoint: { id: string; url: string };
  secret: string;
  /** Of a rotation: when the new secret begins to sign. Null: the endpoint is new. */
  rotated: { switchesAt: Date; isAtOnce: boolean } | null;
}

/** The one page that ever shows a whole secret. */
export function secretPage({ site, visit, endpoint, secret, rotated }: SecretProps): string {
  const path = site.to(webhooksPath(visit, endpoint.id));
  const title = rotated === null ? 'The endpoint was added' : 'The new secret';
  return dashboardPage({
    site,
    title,
    visit,
    at: 'webhooks',
    children: (
      <div class="sheet">
        <h1>{title}</h1>
        <FlashNote tone="waiting" text="Save the secret now: it is shown only once." />
        <p class="endpoint-url" dir="auto">
          {endpoint.url}
        </p>
        <CodeBlock label="Signing secret">{secret}</CodeBlock>
        {rotated === null ? (
          <p>
            Every delivery is signed with it. Your server checks the signature, so that it takes nothing from
            somebody else: <a href={site.to('/docs#webhooks.signature')}>how to check it</a>.
          </p>
        ) : (
          <SwitchWords {...rotated} />
        )}
        <p>Once your server knows the secret, see a test arrive:</p>
        <ActionForm action={`${path}/test`} formToken={visit.session.formToken}>
          <button class="button" type="submit">
            I have saved it: send a test
          </button>
        </ActionForm>
        <p>
          <a href={path}>I have saved it: to the endpoint</a>
        </p>
      </div>
    ),
  });
}

function SwitchWords({ switchesAt, isAtOnce }: { switchesAt: Date; isAtOnce: boolean }): JSX.Element {
  if (isAtOnce)
    return (
      <p>
        Every delivery is signed with it from now on, and the old secret is not used any more. Until your
        server has the new one it must refuse our deliveries; those are tried again for 18 hours.
      </p>
    );
  return (
    <>
      <p>
        Until <ZonedTime at={switchesAt.toISOString()} /> deliveries are signed with the old secret, from then
        on with this one.
      </p>
      <p>
        Add the new secret to your server now, beside the old one: until the switch, and for a few minutes
        after it, both must be accepted. Then remove the old one.
      </p>
    </>
  );
}

interface RotateProps {
  site: Site;
  visit: ShopVisit;
  endpoint: ShownEndpoint;
  /** Makes the form count once. */
  once: string;
  now: Date;
}

const DAY_MINUTES = 24 * 60;
/** When the new secret may begin to sign. */
export const SWITCH_CHOICES = [
  [SECRET_SWITCH_DEFAULT_MINUTES, 'In an hour'],
  [DAY_MINUTES, 'In a day'],
  [SECRET_SWITCH_MAX_MINUTES, 'In three days'],
  [0, 'At once: the secret has leaked'],
] as const;

/** Explains the switch before the secret is changed. */
export function rotatePage({ site, visit, endpoint, once, now }: RotateProps): string {
  const path = site.to(webhooksPath(visit, endpoint.id));
  const pending = endpoint.secret_switches_at;
  return dashboardPage({
    site,
    title: 'A new secret',
    visit,
    at: 'webhooks',
    children: (
      <ConfirmSheet
        title="Make a new secret?"
        action={`${path}/rotate`}
        formToken={visit.session.formToken}
        label="Make a new secret"
        back={{ href: path, label: 'Keep the secret, and go back' }}
      >
        <div class="stack">
          <p class="endpoint-url" dir="auto">
            {endpoint.url}
          </p>
          <p>
            The next page shows the new secret, once. Until the switch, deliveries are signed with the old
            one, so that you can add the new one to your server in time; each delivery has one signature.
          </p>
          {pending !== null && pending > now && (
            <p>
              A switch is pending, for <ZonedTime at={pending.toISOString()} />. A new secret replaces the one
              that waits, which then never signs.
            </p>
          )}
          <input type="hidden" name="once" value={once} />
          <SelectField
            id="switch_after_minutes"
            label="When the new secret begins to sign"
            options={SWITCH_CHOICES.map(([minutes, label]) => [String(minutes), label])}
            value={String(SECRET_SWITCH_DEFAULT_MINUTES)}
          />
        </div>
      </ConfirmSheet>
    ),
  });
}

interface DeleteProps {
  site: Site;
  visit: ShopVisit;
  endpoint: ShownEndpoint;
  /** In words: how many deliveries wait. */
  waiting: string;
}

export function deleteEndpointPage({ site, visit, endpoint, waiting }: DeleteProps): string {
  const path = site.to(webhooksPath(visit, endpoint.id));
  return dashboardPage({
    site,
    title: 'Delete an endpoint',
    visit,
    at: 'webhooks',
    children: (
      <ConfirmSheet
        title="Delete this endpoint?"
        action={`${path}/delete`}
        formToken={visit.session.formToken}
        label="Delete the endpoint"
        isDangerous
        back={{ href: path, label: 'Keep it, and go back' }}
      >
        <div class="stack">
          <p class="endpoint-url" dir="auto">
            {endpoint.url}
          </p>
          <p>
            Nothing is sent to it any more, its secret is forgotten, and this page of it is gone.{' '}
            <span>{waiting}</span> It cannot be undone; to stop only for a while, switch it off instead.
          </p>
        </div>
      </ConfirmSheet>
    ),
  });
}
