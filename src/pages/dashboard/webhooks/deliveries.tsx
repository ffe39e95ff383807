import { REFERENCE_MAX } from '../../../config/limits.ts';
import type { ListedDelivery } from '../../../contract/endpoints.ts';
import { LEFT_COUNTED_MAX, type ReplayState } from '../../../webhooks/replayProgress.ts';
import { Badge, EmptyState, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { FilterBar, FormField, SelectField } from '../../kit/forms.tsx';
import { ListTable } from '../../kit/listTable.tsx';
import { withQuery } from '../../kit/request.ts';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { updatesItself } from '../layout.tsx';
import { shownDuration } from './health.ts';
import { choosableTypes, DELIVERY_WORDS } from './parts.tsx';
import type { DeliveriesFilter, EndpointPage } from './reads.ts';

export const STATUS_CHOICES = [null, 'delivered', 'pending', 'exhausted', 'cancelled'] as const;
const STATUS_OPTIONS = STATUS_CHOICES.map(
  (status) => [status ?? '', status === null ? 'Any' : DELIVERY_WORDS[status].text] as const,
);
const TYPE_OPTIONS = [['', 'Any'] as const, ...choosableTypes.map((type) => [type, type] as const)];

/** Of the endpoint's page, by id. */
const OTHER_PARTS = ['found', 'endpoint-state', 'endpoint-reasons', 'endpoint-day', 'last-arrived'];

/** What was sent to an endpoint, newest event first, and how far its replays are. */
export function sentParts(visit: ShopVisit, page: EndpointPage) {
  const { endpoint, filter, replays } = page;
  const path = visit.to(`/webhooks/${endpoint.id}`);
  return (
    <div class="column">
      <div class="column" {...updatesItself(withQuery(path, queryOf(filter)), 'replays', OTHER_PARTS)}>
        {replays.length > 0 && (
          <Panel id="replay-progress" title="Sent again">
            <ul class="rows">{replays.map(replayItem)}</ul>
          </Panel>
        )}
      </div>
      <Panel id="deliveries" title="Deliveries">
        <FilterBar action={`${path}#deliveries`}>
          <div class="filter-fields">
            <SelectField id="status" label="State" value={filter.status ?? ''} options={STATUS_OPTIONS} />
            <SelectField id="type" label="Event" value={filter.type ?? ''} options={TYPE_OPTIONS} />
            <FormField
              id="order"
              label="Order number"
              type="search"
              value={filter.order ?? undefined}
              maxlength={REFERENCE_MAX}
              autocomplete="off"
            />
          </div>
        </FilterBar>
        <div id="found" class="column">
          {foundDeliveries(path, page)}
        </div>
        <p class="hint">Events are kept for 30 days.</p>
      </Panel>
    </div>
  );
}

const queryOf = ({ status, type, order, cursor }: DeliveriesFilter) => ({ status, type, order, cursor });

function replayItem(replay: ReplayState) {
  const { since, until, queued, arrived, failing, lost, isAtMost, isOver } = replay;
  const failed = failing + lost;
  const parts = [
    `${isAtMost ? 'At most ' : ''}${shownNumber(arrived)} of ${shownNumber(queued)} sent again`,
    failed > 0 && `${shownNumber(failed)} failed`,
    failing > 0 && `${shownNumber(failing)} of them to be tried again`,
  ].filter(Boolean);
  const badge = !isOver
    ? { tone: 'waiting' as const, text: 'Under way' }
    : lost === 0
      ? { tone: 'good' as const, text: 'All arrived' }
      : { tone: 'bad' as const, text: 'Ended' };
  return (
    <li class="row">
      <span class="key-facts">
        <strong>{`${parts.join(', ')}.`}</strong> <Badge {...badge} />
        <span class="hint">
          Events from <ZonedTime at={since} /> until <ZonedTime at={until} />
          {isAtMost && `. Only the next ${shownNumber(LEFT_COUNTED_MAX)} deliveries are counted`}
        </span>
      </span>
    </li>
  );
}

function foundDeliveries(path: string, { deliveries, filter }: EndpointPage) {
  const to = (query: Partial<DeliveriesFilter>) => `${withQuery(path, query)}#deliveries`;
  const { items, next_cursor: older, isCut } = deliveries;
  const { status, type, order, cursor } = filter;
  const isFiltered = status !== null || type !== null || order !== null;
  return (
    <>
      {items.length === 0 ? (
        <EmptyState {...whyNone(older !== null, isFiltered)} />
      ) : (
        <ListTable caption="Deliveries, newest event first" rows={items} columns={deliveryColumns(path)} />
      )}
      {isCut && (
        <p class="hint">
          The customers of this order have very many events, and not all of them were looked at.
        </p>
      )}
      <Pager
        links={[
          cursor !== null && [to({ ...queryOf(filter), cursor: null }), 'Newest'],
          older !== null && [to({ ...queryOf(filter), cursor: older }), 'Older deliveries'],
          isFiltered && [to({}), 'All deliveries'],
        ]}
      />
    </>
  );
}

const deliveryColumns = (path: string): Parameters<typeof ListTable<ListedDelivery>>[0]['columns'] => [
  {
    title: 'Event',
    place: 'name',
    cell: ({ event_id, type }) => (
      <a href={`${path}/deliveries/${event_id}`}>
        <code>{type}</code>
      </a>
    ),
  },
  { title: 'Last answer', place: 'under', aside: true, cell: lastAnswer },
  { title: 'Attempts', place: 'wide', numeric: true, cell: ({ attempts }) => attempts.length },
  { title: 'State', place: 'mark', cell: ({ status }) => <Badge {...DELIVERY_WORDS[status]} /> },
  {
    title: 'Happened',
    place: 'end',
    aside: true,
    cell: ({ created_at }) => <ZonedTime at={created_at} near />,
  },
];

function lastAnswer({ attempts }: ListedDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'Not tried yet';
  return last.error ?? `${last.status_code}, after ${shownDuration(last.duration_ms)}`;
}

function whyNone(hasMore: boolean, isFiltered: boolean): { title: string; text: string } {
  if (hasMore)
    return {
      title: 'None among the newest',
      text: 'There may be older ones: go on with “Older deliveries”.',
    };
  if (isFiltered)
    return {
      title: 'No delivery is like this',
      text: 'Choose another state or event, or type the order’s number as it was pushed.',
    };
  return {
    title: 'No deliveries yet',
    text: 'Events appear here once something becomes of a message. A test shows at once whether the endpoint works.',
  };
}
