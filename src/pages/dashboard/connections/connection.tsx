import type { Connection } from '../../../connections/connections.ts';
import { isStoreKind, kindOf } from '../../../connections/kinds.ts';
import type { ConnectionStatus } from '../../../connections/settings.ts';
import { EmptyState, FlashNote, LinkButton, LinkLine, Panel } from '../../kit/components.tsx';
import { confirmPage } from '../confirm.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { ExampleItem } from './examples.tsx';
import { CallTable } from './log.tsx';
import { connectionHead, connectionPath } from './nav.tsx';
import { type ConnectionPage, EXAMPLES_WANTED } from './reads.ts';
import { Arrival, SetupSteps } from './setup.tsx';
import { OWN_MAILS, quietNote, STATUS_BADGES, STATUS_SENTENCES, titleOf } from './words.ts';

interface NowProps {
  page: ConnectionPage;
  hasSecret: boolean;
  now: Date;
}

/** What a connection does now: before its first call the steps, then what it would send, then what it sends. */
export function connectionPage(visit: ShopVisit, props: NowProps, seen: string): Page {
  const { connection } = props.page;
  const hasCalls = connection.lastReceivedAt !== null;
  return {
    title: connection.name,
    at: 'connections',
    within: [],
    live: { seen, connectionId: connection.id },
    heading: connectionHead(visit, connection, 'now'),
    children: (
      <>
        <div
          class={hasCalls ? 'column' : 'column arrival-part'}
          {...updatesItself(connectionPath(visit, connection), 'now', ['connection-badges'])}
        >
          {hasCalls || connection.status === 'off' ? (
            <Working visit={visit} {...props} />
          ) : (
            <Arrival visit={visit} connection={connection} hasSecret={props.hasSecret} now={props.now} />
          )}
        </div>
        {/* It stays when the first call arrives: somebody may be reading it. */}
        {!hasCalls && (
          <SetupSteps
            visit={visit}
            connection={connection}
            secret={null}
            hasSecret={props.hasSecret}
            now={props.now}
          />
        )}
      </>
    ),
  };
}

const Working = ({ visit, page, now }: InShop<NowProps>) => {
  const { connection, newest } = page;
  const quiet = quietNote(connection, now);
  return (
    <>
      {connection.lastError !== null && <FlashNote tone="bad" text={connection.lastError} />}
      {quiet !== null && <FlashNote {...quiet} />}
      <StatePanel visit={visit} page={page} />
      {connection.status === 'watching' && isStoreKind(kindOf(connection.kind)) && (
        <Examples visit={visit} page={page} />
      )}
      <Panel id="newest" title="Newest calls">
        {newest.length === 0 ? (
          <p class="hint">None is kept. Calls are kept for 30 days.</p>
        ) : (
          <>
            <CallTable visit={visit} connection={connection} calls={newest} />
            <LinkLine href={connectionPath(visit, connection, '/log')} label="The whole log" />
          </>
        )}
      </Panel>
    </>
  );
};

/** Where each state leads, the likeliest first. */
const WAYS: Readonly<Record<ConnectionStatus, readonly ConnectionStatus[]>> = {
  watching: ['live', 'off'],
  live: ['watching', 'off'],
  off: ['watching'],
};

const SWITCHES: Readonly<Record<ConnectionStatus, string>> = {
  live: 'Switch to live …',
  watching: 'Switch to watching …',
  off: 'Switch off …',
};

const StatePanel = ({ visit, page: { connection, examples } }: InShop<{ page: ConnectionPage }>) => {
  const { status, kind } = connection;
  const hasEnough = examples.length >= EXAMPLES_WANTED || !isStoreKind(kindOf(kind));
  const path = (to: ConnectionStatus) => connectionPath(visit, connection, `/switch/${to}`);
  return (
    <section class={`panel state-panel ${STATUS_BADGES[status].tone}`} aria-labelledby="state">
      <h2 id="state">{STATUS_BADGES[status].text}</h2>
      <p>{STATUS_SENTENCES[status]}</p>
      {status === 'watching' && isStoreKind(kindOf(kind)) && <Progress count={examples.length} />}
      {visit.may('connection.manage') ? (
        <div class="acts">
          {WAYS[status].map((to) =>
            to === 'live' && hasEnough ? (
              <a class="button" href={path(to)}>
                {SWITCHES[to]}
              </a>
            ) : (
              <LinkButton href={path(to)} label={SWITCHES[to]} />
            ),
          )}
        </div>
      ) : (
        <p class="hint">An owner of the shop can switch it.</p>
      )}
    </section>
  );
};

const Progress = ({ count }: { count: number }) => (
  <p class="progress">
    <span class="progress-dots" aria-hidden="true">
      {Array.from({ length: EXAMPLES_WANTED }, (_, place) => (
        <span class={place < count ? 'done' : undefined} />
      ))}
    </span>
    <span>
      <strong>{`${count} of ${EXAMPLES_WANTED} examples`}</strong>
      {count < EXAMPLES_WANTED
        ? '. With ten you know what your customers would get.'
        : '. Read them. If they are right, switch to live.'}
    </span>
  </p>
);

const Examples = ({ visit, page: { connection, examples } }: InShop<{ page: ConnectionPage }>) => (
  <Panel id="examples" title="What it would have sent">
    {examples.length === 0 ? (
      <EmptyState
        title="No example yet"
        text="The next order that your store confirms, ships or cancels appears here, with the message that its customer would get. To see one now, change the status of an order of your own."
      />
    ) : (
      <ol class="examples">
        {examples.map((example) => (
          <ExampleItem visit={visit} connection={connection} example={example} />
        ))}
      </ol>
    )}
  </Panel>
);

const QUESTIONS: Readonly<Record<ConnectionStatus, string>> = {
  live: 'Switch to live?',
  watching: 'Switch to watching?',
  off: 'Switch off?',
};

const EXPLAINED: Readonly<Record<ConnectionStatus, string>> = {
  live: 'From now on your customers get these messages. What was watched is never sent later: only what the store tells from now on.',
  watching: 'Nothing of it is sent any more. What comes is shown as what it would have sent.',
  off: 'Nothing of it is sent or kept any more. Calls are still answered, so that the store does not give up. What happens meanwhile is not told later.',
};

/** Asks before a connection is switched. */
export function switchPage(visit: ShopVisit, connection: Connection, to: ConnectionStatus): Page {
  const path = connectionPath(visit, connection);
  return confirmPage(visit, {
    title: QUESTIONS[to],
    at: 'connections',
    action: `${path}/switch/${to}`,
    label: { live: 'Switch to live', watching: 'Switch to watching', off: 'Switch off' }[to],
    back: { href: path, label: 'Leave it as it is' },
    children: (
      <>
        <p dir="auto">
          <strong>{connection.name}</strong> <span class="hint">{titleOf(connection.kind)}</span>
        </p>
        <p>{EXPLAINED[to]}</p>
        {to === 'live' && OWN_MAILS[connection.kind] !== undefined && <p>{OWN_MAILS[connection.kind]}</p>}
      </>
    ),
  });
}
