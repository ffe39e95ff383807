import { isAllowed } from '../../../members/permissions.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { TypeChoices, webhooksPath } from './parts.tsx';
import type { ShownEndpoint } from './sql.ts';

interface ActsProps {
  site: Site;
  visit: ShopVisit;
  endpoint: ShownEndpoint;
}

/** What a member or an owner can do about an endpoint; nothing for a viewer. */
export function EndpointActions({ site, visit, endpoint }: ActsProps): JSX.Element | null {
  const { role, session } = visit;
  const path = site.to(webhooksPath(visit, endpoint.id));
  const mayTest = isAllowed(role, 'webhook.test');
  const mayReplay = isAllowed(role, 'webhook.replay') && endpoint.disabled_at === null;
  if (!mayTest) return null;
  return (
    <section class="panel" aria-labelledby="acts">
      <h2 id="acts">What you can do</h2>
      <div class="acts">
        <ActionForm action={`${path}/test`} formToken={session.formToken}>
          <button class="button" type="submit">
            Send a test
          </button>
        </ActionForm>
        {mayReplay && (
          <a class="button quiet" href={`${path}/replay`}>
            Send a time window again …
          </a>
        )}
      </div>
      <p class="hint">
        A test is one event, a “ping”, signed like any other. It does not count for the endpoint’s health.
      </p>
      {isAllowed(role, 'webhook.manage') && <OwnerActions path={path} visit={visit} endpoint={endpoint} />}
    </section>
  );
}

function OwnerActions({
  path,
  visit: { session },
  endpoint,
}: {
  path: string;
  visit: ShopVisit;
  endpoint: ShownEndpoint;
}): JSX.Element {
  return (
    <>
      <details>
        <summary>Choose its events …</summary>
        <ActionForm action={`${path}/types`} formToken={session.formToken}>
          <div class="stack">
            <p class="hint">With none chosen it gets every event, also kinds that are added later.</p>
            <TypeChoices chosen={endpoint.event_types} />
            <button class="button" type="submit">
              Save the events
            </button>
          </div>
        </ActionForm>
      </details>
      {endpoint.disabled_at === null ? (
        <details>
          <summary>Switch it off …</summary>
          <ActionForm action={`${path}/disable`} formToken={session.formToken}>
            <div class="stack">
              <p>
                It gets no events until it is switched on again. What is queued for it is called off; it can
                be sent afterwards, for 30 days.
              </p>
              <button class="button" type="submit">
                Switch it off
              </button>
            </div>
          </ActionForm>
        </details>
      ) : (
        <ActionForm action={`${path}/enable`} formToken={session.formToken}>
          <div class="stack">
            <p>
              Switched on again it gets the next events, and its failures are counted anew. What it missed is
              not sent by itself: the next page offers it.
            </p>
            <p>
              <button class="button" type="submit">
                Switch it on
              </button>
            </p>
          </div>
        </ActionForm>
      )}
      <div class="acts">
        <a class="button quiet" href={`${path}/rotate`}>
          New secret …
        </a>
        <a class="button quiet" href={`${path}/delete`}>
          Delete …
        </a>
      </div>
    </>
  );
}
