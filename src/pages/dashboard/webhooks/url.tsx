import { ENDPOINT_URL_MAX } from '../../../config/limits.ts';
import { LinkLine, Panel } from '../../kit/components.tsx';
import { FormField, PostForm } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { shownUrl } from './parts.tsx';
import type { ShownEndpoint } from './sql.ts';

/** Another URL for an endpoint that stays what it is. */
export function urlPage(visit: ShopVisit, endpoint: ShownEndpoint, form: RefusedForm): Page {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  return {
    title: 'Change the URL',
    at: 'webhooks',
    within: [{ href: path, label: shownUrl(visit, endpoint.url) }],
    children: (
      <Panel id="url-form" title="Where deliveries go">
        <PostForm visit={visit} action={`${path}/url`} label="Change the URL">
          <p>
            What is due and what comes goes to the new URL; an attempt under way still ends at the old one.
            The secret, the events and the log stay, and the endpoint’s health is counted anew.
          </p>
          <FormField
            {...fieldState(form, 'url', endpoint.url)}
            label="URL"
            type="url"
            maxlength={ENDPOINT_URL_MAX}
            autocomplete="off"
            required
            hint="HTTPS, at a public address."
          />
        </PostForm>
        <LinkLine href={path} label="Keep the URL, and go back" />
      </Panel>
    ),
  };
}
