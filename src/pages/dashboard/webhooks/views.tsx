import { ENDPOINT_DESCRIPTION_MAX, ENDPOINT_URL_MAX, ENDPOINTS_MAX } from '../../../config/limits.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { Badge, EmptyState, FlashNote } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { daySentence, eventsTaken, shownUrl, TypeChoices, webhooksPath } from './parts.tsx';
import type { EndpointOverview } from './reads.ts';

/** What was typed, and what is wrong with it. */
export interface NewEndpointForm {
  url: string;
  description: string;
  types: readonly string[];
  faults: { url?: string; description?: string; types?: string; form?: string };
}

export const EMPTY_ENDPOINT_FORM: NewEndpointForm = { url: '', description: '', types: [], faults: {} };

interface WebhooksProps {
  site: Site;
  visit: ShopVisit;
  endpoints: readonly EndpointOverview[];
  form: NewEndpointForm;
  flash: Flash | null;
}

/** The endpoints of a shop, each with its health. */
export function webhooksPage({ site, visit, endpoints, form, flash }: WebhooksProps): string {
  const mayManage = isAllowed(visit.role, 'webhook.manage');
  return dashboardPage({
    site,
    title: 'Webhooks',
    visit,
    at: 'webhooks',
    children: (
      <>
        <h1>Webhooks</h1>
        {flash && <FlashNote {...flash} />}
        {form.faults.form !== undefined && <FlashNote tone="bad" text={form.faults.form} />}
        {endpoints.length === 0 ? (
          <EmptyState title="No webhook endpoint yet">
            <p>
              An endpoint is a URL of your server. It is told what becomes of each message, seconds after it
              happens. {mayManage ? 'Add one below.' : 'An owner of the shop can add one.'}
            </p>
          </EmptyState>
        ) : (
          <section class="panel" aria-labelledby="endpoints">
            <h2 id="endpoints">Endpoints</h2>
            <ul class="rows">
              {endpoints.map((overview) => (
                <EndpointItem site={site} visit={visit} overview={overview} />
              ))}
            </ul>
          </section>
        )}
        {mayManage && <NewEndpoint site={site} visit={visit} form={form} live={endpoints.length} />}
      </>
    ),
  });
}

function EndpointItem({
  site,
  visit,
  overview: { endpoint, health, day },
}: {
  site: Site;
  visit: ShopVisit;
  overview: EndpointOverview;
}): JSX.Element {
  const cause = health.reasons.at(-1);
  return (
    <li class="row">
      <span class="key-facts">
        <a href={site.to(webhooksPath(visit, endpoint.id))} dir="auto">
          <strong>{shownUrl(visit.role, endpoint.url)}</strong>
        </a>{' '}
        <Badge tone={health.tone} text={health.label} />
        {cause !== undefined && <span class="hint">{`${cause.says} ${cause.todo}`}</span>}
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

function NewEndpoint({
  site,
  visit,
  form: { url, description, types, faults },
  live,
}: {
  site: Site;
  visit: ShopVisit;
  form: NewEndpointForm;
  live: number;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="new-endpoint">
      <h2 id="new-endpoint">Add an endpoint</h2>
      {live >= ENDPOINTS_MAX ? (
        <p>A shop has at most {ENDPOINTS_MAX} endpoints. Delete one that is not used any more.</p>
      ) : (
        <ActionForm action={site.to(webhooksPath(visit))} formToken={visit.session.formToken}>
          <div class="stack">
            <FormField
              id="url"
              label="URL"
              type="url"
              value={url}
              maxlength={ENDPOINT_URL_MAX}
              autocomplete="off"
              required
              hint="HTTPS, at a public address. It cannot be changed later."
              fault={faults.url}
            />
            <FormField
              id="description"
              label="Description"
              type="text"
              value={description}
              maxlength={ENDPOINT_DESCRIPTION_MAX}
              autocomplete="off"
              hint="What it is for, such as “Shop backend”."
              fault={faults.description}
            />
            <details open={types.length > 0 || faults.types !== undefined}>
              <summary>Only some events …</summary>
              <p class="hint">With none chosen it gets every event, also kinds that are added later.</p>
              <TypeChoices chosen={types} fault={faults.types} />
            </details>
            <button class="button" type="submit">
              Add the endpoint
            </button>
          </div>
        </ActionForm>
      )}
    </section>
  );
}
