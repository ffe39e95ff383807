import { statusLabel } from '../../../nudges/orderStatus.ts';
import { Badge, LinkLine, Panel, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { messagesPath, orderPath } from '../messages/filters.tsx';
import { messageItem } from '../messages/views.tsx';
import type { ViewedOrder } from './reads.ts';

/** One order: where it stands, whose it is, and its messages in the order of time. */
export const orderPage = (visit: ShopVisit, order: ViewedOrder, seen: string): Page => ({
  title: `Order ${order.reference}`,
  at: 'messages',
  live: { seen, messageId: null },
  heading: (
    <header class="message-head">
      <h1 dir="auto">{`Order ${order.reference}`}</h1>
    </header>
  ),
  children: (
    <div class="column" {...updatesItself(visit.to(orderPath(order.reference)), 'order')}>
      <OrderParts visit={visit} order={order} />
    </div>
  ),
});

function OrderParts({ visit, order }: { visit: ShopVisit; order: ViewedOrder }) {
  const { reference, stands, steps, customers, messages, hasOlder } = order;
  return (
    <>
      <div class="columns">
        <Panel id="stands" title="Where it stands">
          {stands === null ? (
            <p class="hint">No message about it names a status that we know.</p>
          ) : (
            <>
              <p class="big-figure">{statusLabel(stands.status)}</p>
              <p class="hint">
                since <ZonedTime at={stands.at} />
              </p>
              <TimelineSteps
                steps={steps.map(({ status, at }) => ({
                  tone: status === stands.status && at === stands.at ? 'good' : 'plain',
                  text: statusLabel(status),
                  at,
                }))}
              />
            </>
          )}
        </Panel>
        <Panel id="customer" title={customers.length === 1 ? 'Customer' : 'Customers'}>
          <ul class="rows">
            {customers.map(({ id, email }) => (
              <li class="row">
                <a href={visit.to(`/recipients/${id}`)}>{email}</a>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
      <Panel id="messages" title={['Its messages ', <Badge tone="plain" text={String(messages.length)} />]}>
        <ol class="message-rows">{messages.map((message) => messageItem(visit, message))}</ol>
        <LinkLine
          href={visit.to(messagesPath({ reference }))}
          label={hasOlder ? 'There are older ones: all messages of this order' : 'As a list, newest first'}
        />
      </Panel>
    </>
  );
}
