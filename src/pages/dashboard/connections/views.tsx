import { CONNECTIONS_MAX } from '../../../config/limits.ts';
import type { Connection } from '../../../connections/connections.ts';
import { type ConnectionKind, STORE_KINDS, TRACKING_KINDS } from '../../../connections/kinds/kind.ts';
import { needsOf } from '../../../connections/needs.ts';
import { CONNECTION_NAME_MAX } from '../../../connections/settings.ts';
import { Badge, LinkButton, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, PostForm } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { CredentialFields, StoreUrlField } from './fields.tsx';
import { SECRET_MAX } from './forms.ts';
import { connectionPath } from './nav.tsx';
import { KIND_WORDS, quietNote, STATUS_BADGES, titleOf } from './words.ts';

/** The connections of a shop; for a shop without one, what it can connect. */
export function connectionsPage(visit: ShopVisit, connections: readonly Connection[], now: Date): Page {
  const mayManage = visit.may('connection.manage');
  return {
    title: 'Connections',
    at: 'connections',
    heading: (
      <div class="title-row">
        <h1>Connections</h1>
        {mayManage && connections.length > 0 && (
          <LinkButton href={visit.to('/connections/new')} label="Connect another one" />
        )}
      </div>
    ),
    children:
      connections.length > 0 ? (
        <Panel id="connections" title="Your stores and services">
          <ul class="rows">{connections.map((connection) => connectionItem(visit, connection, now))}</ul>
        </Panel>
      ) : (
        <>
          <WhatItIs />
          {mayManage ? (
            kindChoices(visit)
          ) : (
            <p class="hint">Nothing is connected yet. An owner of the shop can connect its store.</p>
          )}
        </>
      ),
  };
}

const WhatItIs = () => (
  <div class="connect-promise">
    <p>
      <strong>Connect your store in five minutes, without any code.</strong> It then tells Waypost of each
      order by itself.
    </p>
    <p class="hint">
      At first a connection only watches: you read what it would send, with real orders, and nothing goes out
      until you switch it to live.
    </p>
  </div>
);

function connectionItem(visit: ShopVisit, connection: Connection, now: Date) {
  const { name, kind, status, lastReceivedAt, lastError } = connection;
  const quiet = quietNote(connection, now);
  return (
    <li class="row">
      <span class="key-facts">
        <a href={connectionPath(visit, connection)} dir="auto">
          <strong>{name}</strong>
        </a>{' '}
        <Badge {...STATUS_BADGES[status]} />
        <span class="hint">
          {titleOf(kind)}
          {' · '}
          {lastReceivedAt === null ? (
            'waiting for the first call'
          ) : (
            <>
              last call <ZonedTime at={lastReceivedAt} />
            </>
          )}
        </span>
        {lastError !== null && (
          <span class="fault" dir="auto">
            {lastError}
          </span>
        )}
        {quiet !== null && <span class="hint">{quiet.text}</span>}
      </span>
    </li>
  );
}

export const kindsPage = (visit: ShopVisit, connections: number): Page => ({
  title: 'What do you connect?',
  at: 'connections',
  within: [],
  children:
    connections >= CONNECTIONS_MAX ? (
      <p>A shop has at most {CONNECTIONS_MAX} connections. Remove one that is not used any more.</p>
    ) : (
      kindChoices(visit)
    ),
});

const kindChoices = (visit: ShopVisit) => (
  <div class="columns">
    <Panel id="stores" title="Your store">
      {kindList(visit, STORE_KINDS)}
      <p class="hint">
        A Medusa store has a plugin, <code>@waypost/medusa</code>. Any other one pushes through{' '}
        <a href={visit.site.to('/docs')}>the API</a>.
      </p>
    </Panel>
    <Panel id="services" title="Your tracking service">
      {kindList(visit, TRACKING_KINDS)}
      <p class="hint">It tells where parcels are that your store, or the API, has named.</p>
    </Panel>
  </div>
);

const kindList = (visit: ShopVisit, kinds: readonly ConnectionKind[]) => (
  <ul class="rows">
    {kinds.map((kind) => (
      <li class="row kind-row">
        <span class="key-facts">
          <strong>{titleOf(kind)}</strong>
          <span class="hint">{KIND_WORDS[kind]}</span>
        </span>
        <LinkButton
          href={visit.to(`/connections/new/${kind}`)}
          label="Connect"
          about={`Connect ${titleOf(kind)}`}
        />
      </li>
    ))}
  </ul>
);

/** What we have to know before the steps. */
export function newConnectionPage(visit: ShopVisit, kind: ConnectionKind, form: RefusedForm): Page {
  const title = titleOf(kind);
  const { secret } = needsOf(kind);
  return {
    title: `Connect ${title}`,
    at: 'connections',
    within: [],
    isSheet: true,
    children: (
      <>
        <PostForm visit={visit} action={visit.to(`/connections/new/${kind}`)} label="Go on to the steps">
          <FormField
            {...fieldState(form, 'name')}
            label="Name"
            type="text"
            maxlength={CONNECTION_NAME_MAX}
            autocomplete="off"
            hint={`So that you know it from others. Blank: “${title}”.`}
          />
          {needsOf(kind).credentials !== 'consumer_key' && <StoreUrlField kind={kind} form={form} />}
          <CredentialFields kind={kind} form={form} isFolded />
          {secret === 'entered' && (
            <FormField
              {...fieldState(form, 'secret')}
              label="Signing secret"
              type="text"
              maxlength={SECRET_MAX}
              autocomplete="off"
              hint={`If you have it already. The next page says where ${title} shows it.`}
            />
          )}
        </PostForm>
        <LinkLine href={visit.to('/connections/new')} label="Connect something else" />
      </>
    ),
  };
}
