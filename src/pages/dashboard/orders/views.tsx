import { statusLabel } from '../../../nudges/orderStatus.ts';
import { Badge, type BadgeTone, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage, updatesItself } from '../layout.tsx';
import { messagesPath } from '../messages/filters.tsx';
import { MessageItem } from '../messages/views.tsx';
import { orderPath } from './path.ts';
import type { ViewedOrder } from './reads.ts';

/** One order: where it stands, whose it is, and its messages in the order of time. */
export function orderPage(props: { site: Site; visit: ShopVisit; order: ViewedOrder; seen: string }): string {
  const { site, visit, order, seen } = props;
  return dashboardPage({
    site,
    title: `Order ${order.reference}`,
    visit,
    at: 'messages',
    live: { seen, messageId: null },
    children: (
      <>
        <header class="message-head">
          <h1 dir="auto">{`Order ${order.reference}`}</h1>
        </header>
        <div class="column" {...updatesItself(site.to(orderPath(visit.shop.id, order.reference)), 'order')}>
          <OrderParts site={site} shopId={visit.shop.id} order={order} />
        </div>
      </>
    ),
  });
}

function OrderParts({
  site,
  shopId,
  order,
}: {
  site: Site;
  shopId: string;
  order: ViewedOrder;
}): JSX.Element {
  const { reference, stands, steps, customers, messages, hasOlder } = order;
  return (
    <>
      <div class="columns">
        <section class="panel" aria-labelledby="stands">
          <h2 id="stands">Where it stands</h2>
          {stands === null ? (
            <p class="hint">No message about it names a status that we know.</p>
          ) : (
            <>
              <p class="big-figure">{statusLabel[stands.status]}</p>
              <p class="hint">
                since <ZonedTime at={stands.at} />
              </p>
              <TimelineSteps
                steps={steps.map(({ status, at }) => ({
                  tone: toneOf(status === stands.status && at === stands.at),
                  text: statusLabel[status],
                  at,
                }))}
              />
            </>
          )}
        </section>
        <section class="panel" aria-labelledby="customer">
          <h2 id="customer">{customers.length === 1 ? 'Customer' : 'Customers'}</h2>
          <ul class="rows">
            {customers.map(({ id, email }) => (
              <li class="row">
                <a href={site.to(`/dashboard/${shopId}/recipients/${id}`)}>{email}</a>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <section class="panel" aria-labelledby="messages">
        <h2 id="messages">
          Its messages <Badge tone="plain" text={String(messages.length)} />
        </h2>
        <ol class="message-rows">
          {messages.map((message) => (
            <MessageItem site={site} shopId={shopId} message={message} />
          ))}
        </ol>
        <p>
          <a href={site.to(messagesPath(shopId, { reference }))}>
            {hasOlder ? 'There are older ones: all messages of this order' : 'As a list, newest first'}
          </a>
        </p>
      </section>
    </>
  );
}

const toneOf = (isLatest: boolean): BadgeTone => (isLatest ? 'good' : 'plain');
