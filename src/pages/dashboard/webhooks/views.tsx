import {
  ENDPOINT_DESCRIPTION_MAX,
  ENDPOINT_URL_MAX,
  ENDPOINTS_MAX,
  SECRET_SWITCH_DEFAULT_MINUTES,
  SECRET_SWITCH_MAX_MINUTES,
} from '../../../config/limits.ts';
import { CodeBlock } from '../../kit/code.tsx';
import { Badge, EmptyState, FlashNote, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, HiddenFields, PostForm, SelectField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { confirmPage } from '../confirm.tsx';
import type { ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { daySentence, eventsTaken, shownUrl, typeChoices } from './parts.tsx';
import type { EndpointOverview } from './reads.ts';
import type { ShownEndpoint } from './sql.ts';

/** The endpoints of a shop, each with its health. */
export function webhooksPage(
  visit: ShopVisit,
  endpoints: readonly EndpointOverview[],
  form: RefusedForm,
  types: readonly string[],
  seen: string,
): Page {
  const mayManage = visit.may('webhook.manage');
  return {
    title: 'Webhooks',
    at: 'webhooks',
    live: { seen },
    children: (
      <>
        <div {...updatesItself(visit.to('/webhooks'), 'endpoints-now')}>
          {endpoints.length === 0 ? (
            <EmptyState title="No webhook endpoint yet">
              <p>
                An endpoint is a URL of your server. It is notified of what becomes of each message, seconds
                after it happens. {mayManage ? 'Add one below.' : 'An owner of the shop can add one.'}
              </p>
            </EmptyState>
          ) : (
            <Panel id="endpoints" title="Endpoints">
              <ul class="rows">{endpoints.map((overview) => endpointItem(visit, overview))}</ul>
            </Panel>
          )}
        </div>
        {mayManage && (
          <Panel id="new-endpoint" title="Add an endpoint">
            {endpoints.length >= ENDPOINTS_MAX ? (
              <p>A shop has at most {ENDPOINTS_MAX} endpoints. Delete one that is not used any more.</p>
            ) : (
              newEndpointForm(visit, form, types)
            )}
          </Panel>
        )}
      </>
    ),
  };
}

function endpointItem(visit: ShopVisit, { endpoint, health, day }: EndpointOverview) {
  const cause = health.reasons.at(-1);
  return (
    <li class="row">
      <span class="key-facts">
        <a href={visit.to(`/webhooks/${endpoint.id}`)} dir="auto">
          <strong>{shownUrl(visit, endpoint.url)}</strong>
        </a>{' '}
        <Badge tone={health.tone} text={health.label} />
        {cause !== undefined && <span class="hint">{`${cause.message} ${cause.advice}`}</span>}
        <span class="hint">{`${eventsTaken(endpoint.event_types)}. ${daySentence(day)}`}</span>
        {endpoint.description !== '' && (
          <span class="hint" dir="auto">
            {endpoint.description}
          </span>
        )}
      </span>
    </li>
  );
}

const newEndpointForm = (visit: ShopVisit, form: RefusedForm, types: readonly string[]) => (
  <PostForm visit={visit} action={visit.to('/webhooks')} label="Add the endpoint">
    <FormField
      {...fieldState(form, 'url')}
      label="URL"
      type="url"
      maxlength={ENDPOINT_URL_MAX}
      autocomplete="off"
      required
      hint="HTTPS, at a public address."
    />
    <FormField
      {...fieldState(form, 'description')}
      label="Description"
      type="text"
      maxlength={ENDPOINT_DESCRIPTION_MAX}
      autocomplete="off"
      hint="What it is for, such as “Shop backend”."
    />
    <details open={types.length > 0 || form.faults.types !== undefined}>
      <summary>Only some events …</summary>
      {typeChoices(types, form.faults.types)}
    </details>
  </PostForm>
);

/** The one page that ever shows a whole secret. `rotated`: when it begins to sign; null for a new endpoint. */
export function secretPage(
  visit: ShopVisit,
  endpoint: { id: string; url: string },
  secret: string,
  rotated: { switchesAt: Date; isAtOnce: boolean } | null,
): Page {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  return {
    title: rotated === null ? 'The endpoint was added' : 'The new secret',
    at: 'webhooks',
    isSheet: true,
    children: (
      <>
        <FlashNote tone="waiting" text="Save the secret now: it is shown only once." />
        <EndpointUrl url={endpoint.url} />
        <CodeBlock label="Signing secret">{secret}</CodeBlock>
        {rotated === null ? (
          <p>
            Every delivery is signed with it. Your server checks the signature, so that it takes nothing from
            somebody else: <a href={visit.site.to('/docs/webhooks#webhooks.signature')}>how to check it</a>.
          </p>
        ) : (
          switchWords(rotated.switchesAt, rotated.isAtOnce)
        )}
        <p>Once your server knows the secret, see a test arrive:</p>
        <PostForm visit={visit} action={`${path}/test`} label="I have saved it: send a test" />
        <LinkLine href={path} label="I have saved it: to the endpoint" />
      </>
    ),
  };
}

function switchWords(switchesAt: Date, isAtOnce: boolean) {
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
        Until <ZonedTime at={switchesAt} /> deliveries are signed with the old secret, from then on with this
        one.
      </p>
      <p>
        Add the new secret to your server now, beside the old one: until the switch, and for a few minutes
        after it, both must be accepted. Then remove the old one.
      </p>
    </>
  );
}

const EndpointUrl = ({ url }: { url: string }) => (
  <p class="endpoint-url" dir="auto">
    {url}
  </p>
);

const DAY_MINUTES = 24 * 60;
/** When the new secret may begin to sign. */
export const SWITCH_CHOICES = [
  [SECRET_SWITCH_DEFAULT_MINUTES, 'In an hour'],
  [DAY_MINUTES, 'In a day'],
  [SECRET_SWITCH_MAX_MINUTES, 'In three days'],
  [0, 'At once: the secret has leaked'],
] as const;

/** Explains the switch before the secret is changed. `once` makes the form count once. */
export function rotatePage(visit: ShopVisit, endpoint: ShownEndpoint, once: string, now: Date): Page {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  const pending = endpoint.secret_switches_at;
  return confirmPage(visit, {
    title: 'A new secret',
    at: 'webhooks',
    question: 'Make a new secret?',
    action: `${path}/rotate`,
    label: 'Make a new secret',
    back: { href: path, label: 'Keep the secret, and go back' },
    children: (
      <>
        <EndpointUrl url={endpoint.url} />
        <p>
          The next page shows the new secret, once. Until the switch, deliveries are signed with the old one,
          so that you can add the new one to your server in time; each delivery has one signature.
        </p>
        {pending !== null && pending > now && (
          <p>
            A switch is pending, for <ZonedTime at={pending} />. A new secret replaces the one that waits,
            which then never signs.
          </p>
        )}
        <HiddenFields values={{ once }} />
        <SelectField
          id="switch_after_minutes"
          label="When the new secret begins to sign"
          options={SWITCH_CHOICES.map(([minutes, label]) => [String(minutes), label])}
          value={String(SECRET_SWITCH_DEFAULT_MINUTES)}
        />
      </>
    ),
  });
}

/** `waiting` says how many deliveries wait. */
export function deleteEndpointPage(visit: ShopVisit, endpoint: ShownEndpoint, waiting: string): Page {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  return confirmPage(visit, {
    title: 'Delete an endpoint',
    at: 'webhooks',
    question: 'Delete this endpoint?',
    action: `${path}/delete`,
    label: 'Delete the endpoint',
    isDangerous: true,
    back: { href: path, label: 'Keep it, and go back' },
    children: (
      <>
        <EndpointUrl url={endpoint.url} />
        <p>
          Nothing is sent to it any more, its secret is forgotten, and this page of it is gone. {waiting} It
          cannot be undone; to stop only for a while, switch it off instead.
        </p>
      </>
    ),
  });
}
