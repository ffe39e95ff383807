import { addressOf, type Connection } from '../../../connections/connections.ts';
import { needsOf } from '../../../connections/needs.ts';
import { CONNECTION_NAME_MAX } from '../../../connections/settings.ts';
import { CodeBlock } from '../../kit/code.tsx';
import { FactList, FlashNote, LinkButton, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, PostForm, SelectField } from '../../kit/forms.tsx';
import { EMPTY_FORM, fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { confirmPage } from '../confirm.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { CredentialFields, StoreUrlField } from './fields.tsx';
import { SECRET_MAX } from './forms.ts';
import { connectionHead, connectionPath } from './nav.tsx';
import { titleOf } from './words.ts';

interface SettingsProps {
  connection: Connection;
  form: RefusedForm;
}

/** Its name, how we reach the other side, its secret, and its end. */
export function connectionSettingsPage(visit: ShopVisit, props: SettingsProps): Page {
  const { connection } = props;
  const path = (below: string) => connectionPath(visit, connection, below);
  const mayManage = visit.may('connection.manage');
  return {
    title: `Settings of ${connection.name}`,
    at: 'connections',
    within: [],
    heading: connectionHead(visit, connection, 'settings'),
    children: (
      <div class="columns">
        {mayManage ? settingsForm(visit, props) : settingsFacts(visit, connection)}
        <div class="column">
          <Panel id="address" title="Address">
            <div class="wrapped">
              <CodeBlock label={`${titleOf(connection.kind)} calls it`}>
                {addressOf(visit.site.publicUrl, connection)}
              </CodeBlock>
            </div>
            {mayManage && <LinkLine href={path('/rotate')} label={rotateLabel(connection)} />}
          </Panel>
          {mayManage && (
            <Panel id="remove" title="Remove">
              <p>Its log and what it knows of orders go with it. Messages that it sent stay.</p>
              <div class="acts">
                <LinkButton href={path('/remove')} label="Remove …" />
              </div>
            </Panel>
          )}
        </div>
      </div>
    ),
  };
}

const isMade = ({ kind }: Connection): boolean => needsOf(kind).secret === 'made';
const rotateLabel = (connection: Connection): string =>
  isMade(connection) ? 'Make a new secret …' : 'Enter another signing secret …';

function settingsForm(visit: ShopVisit, { connection, form }: SettingsProps) {
  const { kind, hasCredentials } = connection;
  return (
    <Panel id="settings" title="Settings">
      <PostForm visit={visit} action={connectionPath(visit, connection, '/settings')} label="Save">
        <FormField
          {...fieldState(form, 'name', connection.name)}
          label="Name"
          type="text"
          maxlength={CONNECTION_NAME_MAX}
          autocomplete="off"
          required
        />
        <StoreUrlField kind={kind} form={form} value={connection.storeUrl} />
        <CredentialFields kind={kind} form={form} />
        {hasCredentials && (
          <>
            <p class="hint">A key is saved. It stays if nothing is entered.</p>
            <SelectField
              id="keep_key"
              label="The saved key"
              options={[
                ['yes', 'Keep it'],
                ['no', 'Forget it'],
              ]}
            />
          </>
        )}
      </PostForm>
      {readUpTo(connection)}
    </Panel>
  );
}

const readUpTo = ({ nextReadAt, kind, status }: Connection) =>
  nextReadAt !== null &&
  status !== 'off' &&
  needsOf(kind).credentials === 'consumer_key' && (
    <p class="hint">
      Next read of what was missed: <ZonedTime at={nextReadAt} />
    </p>
  );

function settingsFacts(_visit: ShopVisit, { name, kind, storeUrl, hasCredentials }: Connection) {
  return (
    <Panel id="settings" title="Settings">
      <FactList
        facts={[
          ['Name', <bdi>{name}</bdi>],
          ['Kind', titleOf(kind)],
          ...(storeUrl === null ? [] : [['Address of the store', <bdi>{storeUrl}</bdi>] as const]),
          ...(needsOf(kind).credentials === 'none'
            ? []
            : [['Key for our own calls', hasCredentials ? 'Saved' : 'None'] as const]),
        ]}
      />
      <p class="hint">An owner of the shop can change these.</p>
    </Panel>
  );
}

const AT_ONCE = [
  ['', 'In an hour'],
  ['yes', 'At once: it has leaked'],
] as const;

/** Explains what becomes of the old secret before there is another one. */
export function rotateSecretPage(
  visit: ShopVisit,
  connection: Connection,
  form: RefusedForm = EMPTY_FORM,
): Page {
  const path = connectionPath(visit, connection);
  const title = titleOf(connection.kind);
  const made = isMade(connection);
  return confirmPage(visit, {
    title: made ? 'A new secret' : 'Another signing secret',
    at: 'connections',
    question: made ? 'Make a new secret?' : 'Enter another signing secret',
    action: `${path}/rotate`,
    label: made ? 'Make a new secret' : 'Save the secret',
    back: { href: `${path}/settings`, label: 'Keep the secret, and go back' },
    children: (
      <>
        <p>
          {made
            ? `The next page shows the new secret, once, for ${title}’s settings. Until you have changed it there, calls are signed with the old one.`
            : `${title} signs its calls with it. Copy it from ${title}’s settings.`}
        </p>
        {made ? (
          <details>
            <summary>{`Use one that ${title} shows …`}</summary>
            {secretField(form)}
          </details>
        ) : (
          secretField(form)
        )}
        <SelectField id="at_once" label="When the old secret stops counting" options={AT_ONCE} />
      </>
    ),
  });
}

const secretField = (form: RefusedForm) => (
  <FormField
    {...fieldState(form, 'secret')}
    label="Signing secret"
    type="text"
    maxlength={SECRET_MAX}
    autocomplete="off"
  />
);

/** The one page that shows a new secret. */
export function newSecretPage(
  visit: ShopVisit,
  connection: Connection,
  secret: string,
  atOnce: boolean,
): Page {
  const address = addressOf(visit.site.publicUrl, connection);
  return {
    title: 'The new secret',
    at: 'connections',
    isSheet: true,
    children: (
      <>
        <FlashNote tone="waiting" text="Save it now: it is shown only once." />
        <CodeBlock label="Secret">{secret}</CodeBlock>
        {connection.kind === 'shippo' && (
          <CodeBlock label="URL with the secret">{`${address}?token=${secret}`}</CodeBlock>
        )}
        <p>
          {atOnce
            ? `The old secret counts no longer. Until ${titleOf(connection.kind)} has the new one, its calls are refused.`
            : `Enter it in ${titleOf(connection.kind)}’s settings within an hour: so long the old one counts, too.`}
        </p>
        <LinkLine href={connectionPath(visit, connection, '/setup')} label="Where to enter it: the steps" />
      </>
    ),
  };
}

export function removePage(visit: ShopVisit, connection: Connection): Page {
  const path = connectionPath(visit, connection);
  return confirmPage(visit, {
    title: 'Remove a connection',
    at: 'connections',
    question: 'Remove this connection?',
    action: `${path}/remove`,
    label: 'Remove it',
    isDangerous: true,
    back: { href: `${path}/settings`, label: 'Keep it, and go back' },
    children: (
      <>
        <p dir="auto">
          <strong>{connection.name}</strong> <span class="hint">{titleOf(connection.kind)}</span>
        </p>
        <p>
          {`Its address is answered with 404 from now on, so ${titleOf(connection.kind)} may switch its webhooks off. Its log, its secret and what it knows of orders are gone, and it cannot be undone. Messages that it sent stay. To stop only for a while, switch it off instead.`}
        </p>
      </>
    ),
  });
}
