import { addressOf, type Connection } from '../../../connections/connections.ts';
import { needsOf } from '../../../connections/needs.ts';
import { ButtonLine, FlashNote, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, PostForm } from '../../kit/forms.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { SECRET_MAX } from './forms.ts';
import { connectionHead, connectionPath } from './nav.tsx';
import { stepsFor } from './steps.tsx';
import { quietNote, titleOf } from './words.ts';

interface SetupProps {
  connection: Connection;
  /** Only in the answer to the form that made it. */
  secret: string | null;
  hasSecret: boolean;
  now: Date;
}

/** What to do in the store's settings. `seen`: for the stream of its changes. */
export function setupPage(visit: ShopVisit, setup: SetupProps, seen: string, isNew = false): Page {
  const { connection, secret } = setup;
  const { id, kind } = connection;
  return {
    title: isNew ? `${titleOf(kind)} is to be connected` : `Steps in ${titleOf(kind)}`,
    at: 'connections',
    within: [],
    live: { seen, connectionId: id },
    heading: connectionHead(visit, connection, 'setup'),
    children: (
      <>
        {secret !== null && (
          <FlashNote
            tone="waiting"
            text="The secret below is shown only now. Do the steps before you leave this page."
          />
        )}
        {/* On the page that answers a form this part asks another page for itself. */}
        <div
          class="stack arrival-part"
          {...updatesItself(connectionPath(visit, connection, '/setup'), 'arrival')}
        >
          <Arrival visit={visit} connection={connection} hasSecret={setup.hasSecret} now={setup.now} />
        </div>
        <SetupSteps visit={visit} {...setup} />
      </>
    ),
  };
}

/** Whether the other side has found us. It turns green by itself. */
export function Arrival({ visit, connection, hasSecret, now }: InShop<Omit<SetupProps, 'secret'>>) {
  const { kind, lastReceivedAt } = connection;
  const quiet = quietNote(connection, now);
  if (lastReceivedAt === null)
    return (
      <div class="flash-note waiting arrival" role="status">
        <p>
          <strong>Waiting for the first call from {titleOf(kind)} …</strong>
        </p>
        {needsOf(kind).secret === 'entered' && !hasSecret && (
          <p>The signing secret is missing: until it is saved below, every call is refused.</p>
        )}
        <p class="hint">
          Once it arrives, this note turns green by itself.
          <span class="without-script"> Load the page again to see it.</span>
        </p>
      </div>
    );
  return (
    <>
      <div class="flash-note good arrival" role="status">
        <p>
          <strong>{titleOf(kind)} has found us.</strong>
        </p>
        <p class="hint">
          Newest call: <ZonedTime at={lastReceivedAt} />
        </p>
        <ButtonLine
          href={connectionPath(visit, connection)}
          label={connection.status === 'watching' ? 'See what it would send' : 'See what it does'}
        />
      </div>
      {quiet !== null && <FlashNote {...quiet} />}
    </>
  );
}

export const SetupSteps = ({ visit, connection, secret, hasSecret }: InShop<SetupProps>) => {
  const { kind } = connection;
  const address = addressOf(visit.site.publicUrl, connection);
  const isEntered = needsOf(kind).secret === 'entered';
  return (
    <Panel id="steps" title={`In ${titleOf(kind)}`}>
      <ol class="steps">
        {stepsFor(kind, { address, secret }).map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      {isEntered && visit.may('connection.manage') && (
        <SecretForm visit={visit} connection={connection} hasSecret={hasSecret} />
      )}
      {!isEntered && secret === null && visit.may('connection.manage') && needsOf(kind).secret === 'made' && (
        <p class="hint">
          Nobody kept the secret? <a href={connectionPath(visit, connection, '/rotate')}>Make a new one …</a>
        </p>
      )}
    </Panel>
  );
};

const SecretForm = ({
  visit,
  connection,
  hasSecret,
}: InShop<Pick<SetupProps, 'connection' | 'hasSecret'>>) => (
  <PostForm visit={visit} action={connectionPath(visit, connection, '/secret')} label="Save the secret">
    {hasSecret && (
      <p class="hint">A secret is saved. Another one replaces it; the old one counts for an hour more.</p>
    )}
    <FormField
      id="secret"
      label="Signing secret"
      type="text"
      maxlength={SECRET_MAX}
      autocomplete="off"
      required
      hint={`As ${titleOf(connection.kind)} shows it. It is not shown again here.`}
    />
  </PostForm>
);
