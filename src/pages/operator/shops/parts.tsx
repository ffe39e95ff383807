import { channels } from '../../../contract/channels.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { CheckedEndpoint } from '../../dashboard/webhooks/reads.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { hostOf } from '../../kit/request.ts';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { CHANNEL_WORDS } from '../words.tsx';
import { type OperatedShop, SENDS_COUNTED_MAX } from './reads.ts';
import type { WaitingSends } from './sql.ts';

/** Whether a shop's messages and events get through. */
export function ShopHealth({ site, shop }: { site: Site; shop: OperatedShop }): JSX.Element {
  const { overview, waiting, settings } = shop;
  const { endpoints } = overview;
  const { email } = overview.month.total;
  return (
    <section class="panel" aria-labelledby="health">
      <h2 id="health">Health</h2>
      <dl class="answers">
        <dt>Emails in 30 days</dt>
        <dd>
          {`${shownNumber(email.sent)} sent, ${shownNumber(email.bounced)} bounced, ${shownNumber(email.complained)} complained about, ${shownNumber(email.failed)} failed`}
        </dd>
        <dt>Waiting to be sent</dt>
        <dd>{waiting.length === 0 ? 'Nothing' : <Waiting waiting={waiting} />}</dd>
        <dt>Webhook endpoints</dt>
        <dd>
          {endpoints.length === 0 ? (
            'None'
          ) : (
            <Endpoints path={site.to(`/dashboard/${settings.id}/webhooks`)} endpoints={endpoints} />
          )}
        </dd>
      </dl>
      <p class="pager">
        <a href={site.to(`/dashboard/${settings.id}/messages?email=bounced`)}>Messages that bounced</a>
      </p>
    </section>
  );
}

const Waiting = ({ waiting }: { waiting: readonly WaitingSends[] }): JSX.Element => (
  <ul class="rows">
    {waiting.map((one) => (
      <li>
        <span>
          {`${CHANNEL_WORDS[one.channel]}: ${countedUpTo(one.waiting)}, of which ${shownNumber(one.due)} due; the first at `}
        </span>
        <ZonedTime at={one.oldest.toISOString()} />
      </li>
    ))}
  </ul>
);

const countedUpTo = (count: number): string =>
  count >= SENDS_COUNTED_MAX ? `${shownNumber(SENDS_COUNTED_MAX)} or more` : shownNumber(count);

const Endpoints = ({
  path,
  endpoints,
}: {
  path: string;
  endpoints: readonly CheckedEndpoint[];
}): JSX.Element => (
  <ul class="rows">
    {endpoints.map(({ endpoint, health }) => (
      <li>
        <a href={`${path}/${endpoint.id}`}>{hostOf(endpoint.url)}</a>{' '}
        <Badge tone={health.tone} text={health.label} />
        {health.reasons.map(({ says }) => (
          <span class="hint">{` ${says}`}</span>
        ))}
      </li>
    ))}
  </ul>
);

/** The shop's own senders, where it has some. */
export function ShopSenders({
  path,
  visit,
  shop,
  form,
}: {
  path: string;
  visit: Visit;
  shop: OperatedShop;
  form: RefusedForm;
}): JSX.Element {
  const { formToken } = visit.session;
  return (
    <section class="panel" aria-labelledby="senders">
      <h2 id="senders">Senders of its own</h2>
      {shop.senders.length === 0 && <p class="hint">None: it uses the shared ones.</p>}
      <ul class="rows">
        {shop.senders.map(({ channel, address }) => (
          <li class="row">
            <span class="key-facts">
              <strong>{CHANNEL_WORDS[channel]}</strong> <span>{address}</span>
            </span>
            <ActionForm action={`${path}/senders/${channel}/remove`} formToken={formToken}>
              <button
                class="button quiet"
                type="submit"
                aria-label={`Remove the sender for ${CHANNEL_WORDS[channel]}`}
              >
                Remove
              </button>
            </ActionForm>
          </li>
        ))}
      </ul>
      <details open={form.faults.address !== undefined}>
        <summary>Set a sender</summary>
        <ActionForm action={`${path}/senders`} formToken={formToken}>
          <div class="stack">
            <SelectField
              {...fieldState(form, 'channel', 'email')}
              label="Channel"
              options={channels.map((channel) => [channel, CHANNEL_WORDS[channel]] as const)}
            />
            <FormField
              {...fieldState(form, 'address')}
              label="Sender"
              type="text"
              hint="An email address; a number, a name or a Messaging Service SID; a WhatsApp number or phone number id. It must be verified at the provider."
              autocomplete="off"
              required
            />
            <div>
              <button class="button quiet" type="submit">
                Set the sender
              </button>
            </div>
          </div>
        </ActionForm>
      </details>
    </section>
  );
}

const ROLE_TITLES = { owner: 'Owner', member: 'Member', viewer: 'Viewer' } as const;

/** Who may sign in to the shop. */
export function ShopMembers({ site, shop }: { site: Site; shop: OperatedShop }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="members">
      <h2 id="members">Members</h2>
      {shop.members.length === 0 ? (
        <p class="hint">Nobody but operators may sign in to this shop.</p>
      ) : (
        <DataTable
          caption="Members of the shop"
          columns={[
            { title: 'Address', cell: ({ email }) => <span>{email}</span> },
            { title: 'Role', cell: ({ role }) => <span>{ROLE_TITLES[role]}</span> },
            {
              title: 'Last seen',
              cell: ({ last_seen_at: at }) =>
                at === null ? (
                  <span class="hint">Not seen here yet</span>
                ) : (
                  <ZonedTime at={at.toISOString()} />
                ),
            },
          ]}
          rows={shop.members}
        />
      )}
      <p class="pager">
        <a href={site.to(`/dashboard/${shop.settings.id}/settings/members`)}>Add and remove members</a>
      </p>
    </section>
  );
}
