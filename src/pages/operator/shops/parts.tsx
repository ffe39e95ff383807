import { channels } from '../../../contract/channels.ts';
import { providerTitle } from '../../../providers/titles.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { CheckedEndpoint } from '../../dashboard/webhooks/reads.ts';
import { CHANNEL_TITLES, senderWords } from '../../kit/channelWords.ts';
import { Badge, FactList, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { type FieldDef, FoldedForm, FormFields, PostForm } from '../../kit/forms.tsx';
import { hostOf } from '../../kit/request.ts';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import { type OperatedShop, SENDS_COUNTED_MAX } from './reads.ts';
import type { WaitingSends } from './sql.ts';

/** What the panels of a shop's page are drawn from; `path` is the page's. */
export interface ShopPanelProps {
  visit: Visit;
  path: string;
  shop: OperatedShop;
}

/** Whether a shop's messages and events get through. */
export function ShopHealth({ visit, shop: { overview, waiting, settings } }: ShopPanelProps) {
  const { endpoints } = overview;
  const { sent, bounced, complained, failed } = overview.month.total.email;
  const shop = visit.site.to(`/dashboard/${settings.id}`);
  return (
    <Panel id="health" title="Health">
      <FactList
        facts={[
          [
            'Emails in 30 days',
            `${shownNumber(sent)} sent, ${shownNumber(bounced)} bounced, ${shownNumber(complained)} complained about, ${shownNumber(failed)} failed`,
          ],
          ['Waiting to be sent', waiting.length === 0 ? 'Nothing' : <Waiting waiting={waiting} />],
          [
            'Webhook endpoints',
            endpoints.length === 0 ? 'None' : <Endpoints path={`${shop}/webhooks`} endpoints={endpoints} />,
          ],
        ]}
      />
      <Pager links={[[`${shop}/messages?email=bounced`, 'Messages that bounced']]} />
    </Panel>
  );
}

const Waiting = ({ waiting }: { waiting: readonly WaitingSends[] }) => (
  <ul class="rows">
    {waiting.map((one) => (
      <li>
        {`${CHANNEL_TITLES[one.channel]}: ${countedUpTo(one.waiting)}, of which ${shownNumber(one.due)} due; the first at `}
        <ZonedTime at={one.oldest} />
      </li>
    ))}
  </ul>
);

const countedUpTo = (count: number): string =>
  count >= SENDS_COUNTED_MAX ? `${shownNumber(SENDS_COUNTED_MAX)} or more` : shownNumber(count);

/** By their hosts: the rest of a URL may hold a secret. */
const Endpoints = ({ path, endpoints }: { path: string; endpoints: readonly CheckedEndpoint[] }) => (
  <ul class="rows">
    {endpoints.map(({ endpoint, health }) => (
      <li>
        <a href={`${path}/${endpoint.id}`}>{hostOf(endpoint.url)}</a>{' '}
        <Badge tone={health.tone} text={health.label} />
        {health.reasons.map(({ message }) => (
          <span class="hint">{` ${message}`}</span>
        ))}
      </li>
    ))}
  </ul>
);

const senderFields = (providers: readonly string[]): FieldDef[] => [
  {
    id: 'channel',
    label: 'Channel',
    options: channels.map((channel) => [channel, CHANNEL_TITLES[channel]] as const),
  },
  inputField('address', 'Sender', 'text', {
    hint: 'An email address; a number, a name or a Messaging Service SID; a WhatsApp number or phone number id. It must be verified at the provider.',
    required: true,
  }),
  ...(providers.length === 0 ? [] : [providerField(providers)]),
];

const providerField = (providers: readonly string[]): FieldDef => ({
  id: 'provider',
  label: 'Used with',
  options: [
    ['', 'Every provider that it fits'],
    ...providers.map((name) => [name, `${providerTitle(name)} alone`] as const),
  ],
  hint: 'A number or a Messaging Service belongs to one provider: choose it.',
});

/** The shop's own senders, where it has some. `providers`: to choose from. */
export const ShopSenders = ({
  visit,
  path,
  shop: { senders },
  form,
  providers,
}: ShopPanelProps & { form: RefusedForm; providers: readonly string[] }) => (
  <Panel id="senders" title="Senders of its own">
    {senders.length === 0 && <p class="hint">None: it uses the shared ones.</p>}
    <ul class="rows">
      {senders.map((sender) => (
        <li class="row">
          <span class="key-facts">
            <strong>{CHANNEL_TITLES[sender.channel]}</strong> {senderWords(sender)}
          </span>
          <PostForm
            action={`${path}/senders/${sender.channel}${sender.provider === null ? '' : `/${sender.provider}`}/remove`}
            visit={visit}
            label="Remove"
            look="quiet"
            about={`Remove the sender ${senderWords(sender)} for ${CHANNEL_TITLES[sender.channel]}`}
          />
        </li>
      ))}
    </ul>
    <FoldedForm
      title="Set a sender"
      open={form.faults.address !== undefined || form.faults.provider !== undefined}
      action={`${path}/senders`}
      visit={visit}
      label="Set the sender"
      look="quiet"
    >
      <FormFields fields={senderFields(providers)} form={form} values={{ channel: 'email' }} />
    </FoldedForm>
  </Panel>
);

const ROLE_TITLES = { owner: 'Owner', member: 'Member', viewer: 'Viewer' } as const;

/** Who may sign in to the shop. */
export const ShopMembers = ({ visit, shop: { members, settings } }: ShopPanelProps) => (
  <Panel id="members" title="Members">
    <DataTable
      caption="Members of the shop"
      none="Nobody but operators may sign in to this shop."
      columns={[
        { title: 'Address', cell: ({ email }) => email },
        { title: 'Role', cell: ({ role }) => ROLE_TITLES[role] },
        {
          title: 'Last seen',
          cell: ({ last_seen_at: at }) =>
            at === null ? <span class="hint">Not seen here yet</span> : <ZonedTime at={at} />,
        },
      ]}
      rows={members}
    />
    <Pager
      links={[[visit.site.to(`/dashboard/${settings.id}/settings/members`), 'Add and remove members']]}
    />
  </Panel>
);
