import { REFERENCE_MAX } from '../../../config/limits.ts';
import type { CallEntry } from '../../../connections/callLog.ts';
import type { Connection } from '../../../connections/connections.ts';
import { Badge, EmptyState, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FilterBar, FormField, PostForm, SelectField } from '../../kit/forms.tsx';
import { withQuery } from '../../kit/request.ts';
import type { InShop, ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { orderPath } from '../messages/filters.tsx';
import { WouldGo } from './examples.tsx';
import { connectionHead, connectionPath } from './nav.tsx';
import type { LogFilter, LogPage } from './reads.ts';
import { canRunAgain, OUTCOME_OPTIONS, outcomeBadge, reasonSentence } from './reasons.ts';

interface LogProps {
  connection: Connection;
  filter: LogFilter;
  log: LogPage;
}

/** Every call of the last 30 days, with what became of it. */
export function logPage(visit: ShopVisit, props: LogProps, seen: string): Page {
  const { connection, filter } = props;
  const path = connectionPath(visit, connection, '/log');
  return {
    title: `Log of ${connection.name}`,
    at: 'connections',
    within: [],
    live: { seen, connectionId: connection.id },
    heading: connectionHead(visit, connection, 'log'),
    children: (
      <>
        <FilterBar action={path}>
          <div class="filter-fields">
            <FormField
              id="order"
              label="Order number"
              type="search"
              value={filter.order ?? undefined}
              maxlength={REFERENCE_MAX}
              autocomplete="off"
            />
            <SelectField
              id="outcome"
              label="Outcome"
              value={filter.outcome ?? ''}
              options={OUTCOME_OPTIONS}
            />
          </div>
        </FilterBar>
        <div {...updatesItself(withQuery(path, queryOf(filter)), 'log')}>
          <Calls visit={visit} path={path} {...props} />
        </div>
      </>
    ),
  };
}

const queryOf = ({ order, outcome, cursor }: LogFilter) => ({ order, outcome, cursor });

const Calls = ({ visit, path, connection, filter, log }: InShop<LogProps & { path: string }>) => {
  const to = (cursor: string | null) => withQuery(path, queryOf({ ...filter, cursor }));
  const isFiltered = filter.order !== null || filter.outcome !== null;
  return (
    <Panel id="calls" title="Calls">
      {log.items.length === 0 ? (
        <EmptyState
          {...(isFiltered
            ? {
                title: 'No call is like this',
                text: 'Type the number as the store shows it, or choose another outcome.',
              }
            : { title: 'No call yet', text: 'The steps say what to do in the store’s settings.' })}
        />
      ) : (
        <CallTable visit={visit} connection={connection} calls={log.items} />
      )}
      <Pager
        links={[
          filter.cursor !== null && [to(null), 'Newest'],
          log.next_cursor !== null && [to(log.next_cursor), 'Older calls'],
        ]}
      />
      <p class="hint">Calls are kept for 30 days. They go with a customer who is erased.</p>
    </Panel>
  );
};

export const CallTable = ({
  visit,
  connection,
  calls,
}: InShop<{ connection: Connection; calls: readonly CallEntry[] }>) => (
  <div class="calls">
    <DataTable
      caption="Calls, newest first"
      rows={calls}
      columns={[
        {
          title: 'Received',
          cell: ({ received_at, topic }) => (
            <>
              <ZonedTime at={received_at} />
              <code dir="auto">{topic}</code>
            </>
          ),
        },
        { title: 'Order', cell: (call) => orderLink(visit, connection, call) },
        {
          title: 'What became of it',
          cell: (call) => <Outcome visit={visit} connection={connection} call={call} />,
        },
      ]}
    />
  </div>
);

/** An order that nothing was told of has no page of its own. */
const orderLink = (visit: ShopVisit, connection: Connection, { order, message_id: messageId }: CallEntry) => {
  if (order === null) return '–';
  const path =
    messageId === null ? withQuery(`/connections/${connection.id}/log`, { order }) : orderPath(order);
  return (
    <a href={visit.to(path)} dir="auto">
      {order}
    </a>
  );
};

const Outcome = ({ visit, connection, call }: InShop<{ connection: Connection; call: CallEntry }>) => {
  const { id, message_id: messageId, would_push: wouldPush } = call;
  const sentence = reasonSentence(call.reason);
  return (
    <div class="call-outcome">
      <div class="call-facts">
        <span class="badges">
          <Badge {...outcomeBadge(call.outcome)} />
          {messageId !== null && <a href={visit.to(`/messages/${messageId}`)}>The message</a>}
        </span>
        {sentence !== null && <span class="hint">{sentence}</span>}
        {wouldPush !== null && wouldPush.length > 0 && (
          <details id={`call-${id}`}>
            <summary>{wouldPush.length === 1 ? 'The message' : `The ${wouldPush.length} messages`}</summary>
            <div class="stack">
              {wouldPush.map((message) => (
                <WouldGo message={message} />
              ))}
            </div>
          </details>
        )}
      </div>
      {canRunAgain(call) && visit.may('connection.run') && (
        <PostForm
          visit={visit}
          action={connectionPath(visit, connection, `/calls/${id}/run`)}
          label="Run again"
          look="quiet"
          about={`Run again: ${call.order === null ? call.topic : `order ${call.order}`}`}
        />
      )}
    </div>
  );
};
