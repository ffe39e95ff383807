import type { DeliveryStatus, ListedDelivery } from '../../../contract/deliveries.ts';
import { Badge, EmptyState, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownDuration } from './health.ts';
import { DELIVERY_WORDS, webhooksPath } from './parts.tsx';
import type { DeliveriesFilter, EndpointPage } from './reads.ts';

interface DeliveriesProps {
  site: Site;
  visit: ShopVisit;
  page: EndpointPage;
  filter: DeliveriesFilter;
}

const STATUS_CHOICES: readonly (readonly [DeliveryStatus | null, string])[] = [
  [null, 'All'],
  ['delivered', 'Delivered'],
  ['pending', 'Under way'],
  ['exhausted', 'Given up'],
  ['cancelled', 'Called off'],
];

/** What was sent to an endpoint, newest event first. */
export function DeliveriesPanel({ site, visit, page, filter }: DeliveriesProps): JSX.Element {
  const { endpoint, deliveries } = page;
  const path = site.to(webhooksPath(visit, endpoint.id));
  const to = ({ status, cursor }: DeliveriesFilter): string => {
    const query = new URLSearchParams({
      ...(status !== null && { status }),
      ...(cursor !== null && { cursor }),
    }).toString();
    return `${path}${query === '' ? '' : `?${query}`}#deliveries`;
  };
  return (
    <section class="panel" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <nav class="choices" aria-label="Filter by status">
        {STATUS_CHOICES.map(([status, label]) => (
          <a
            class="bar-link"
            href={to({ status, cursor: null })}
            aria-current={status === filter.status ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {deliveries.items.length === 0 ? (
        <NoDeliveries hasMore={deliveries.next_cursor !== null} isFiltered={filter.status !== null} />
      ) : (
        <DataTable
          caption="Deliveries, newest event first"
          rows={deliveries.items}
          columns={[
            {
              title: 'Event',
              cell: ({ event_id, type }) => (
                <a href={`${path}/deliveries/${event_id}`}>
                  <code>{type}</code>
                </a>
              ),
            },
            { title: 'Happened', cell: ({ created_at }) => <ZonedTime at={created_at} /> },
            {
              title: 'State',
              cell: ({ status }) => (
                <Badge tone={DELIVERY_WORDS[status][0]} text={DELIVERY_WORDS[status][1]} />
              ),
            },
            { title: 'Attempts', numeric: true, cell: ({ attempts }) => <span>{attempts.length}</span> },
            { title: 'Last answer', cell: (delivery) => <span>{lastAnswer(delivery)}</span> },
          ]}
        />
      )}
      <p class="pager">
        {filter.cursor !== null && <a href={to({ ...filter, cursor: null })}>Newest</a>}
        {deliveries.next_cursor !== null && (
          <a href={to({ ...filter, cursor: deliveries.next_cursor })}>Older deliveries</a>
        )}
      </p>
      <p class="hint">Events are kept for 30 days.</p>
    </section>
  );
}

function lastAnswer({ attempts }: ListedDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'Not tried yet';
  return last.error ?? `${last.status_code}, after ${shownDuration(last.duration_ms)}`;
}

function NoDeliveries({ hasMore, isFiltered }: { hasMore: boolean; isFiltered: boolean }): JSX.Element {
  if (hasMore)
    return (
      <EmptyState title="None among the newest">
        <p>There may be older ones: go on with “Older deliveries”.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={isFiltered ? 'No delivery is like this' : 'No deliveries yet'}>
      <p>
        {isFiltered
          ? 'Choose another state, or all of them.'
          : 'Events appear here once something becomes of a message. A test shows at once whether the endpoint works.'}
      </p>
    </EmptyState>
  );
}
